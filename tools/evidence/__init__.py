"""The evidence pool, its learned walk, and the one ranking of all that was found."""
