"""A process with nothing to lose, for files that nobody can trust.

`child.py` starts it and outlives it; `chains.py` is what it puts on before the first byte.
"""
