"""How much of everything a load needs, from what was measured, and a simulation of its day.

`SIZING.md` is written by it (`python -m deploy.sizing --page`): a number there that nobody
measured or worked out here is marked as an assumption.
"""
