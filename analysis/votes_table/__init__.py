"""Analysis of any table of votes: reading and checking it, its figures, and the files that are written of them."""
