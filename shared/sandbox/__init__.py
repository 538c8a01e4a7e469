"""Processes with nothing to lose, for files that nobody can trust.

The parent's side: `pool.py` lends them and decides when one has served long enough, `worker.py`
holds one of them. The child's side: `serving.py` takes one request after the other, in what
`chains.py` and `syscalls.py` put on before the first byte. `frames.py` is what passes between.
"""
