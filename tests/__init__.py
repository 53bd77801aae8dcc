"""The tests: a folder an app, and contracts, races, faults and e2e beside them."""
