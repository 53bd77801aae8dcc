"""Which items each panel hears: disjoint subsets that are small copies of the pool."""
