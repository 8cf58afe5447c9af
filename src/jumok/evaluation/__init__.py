"""How good a system is, where it is good, and whether the difference is real."""
