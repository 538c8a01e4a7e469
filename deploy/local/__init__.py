"""The whole system on one machine, out of a checkout, behind `./paperline`.

Until `setup` has run there is no third-party package, so what runs before it (state, steps,
processes, installation) is written with the standard library alone.
"""
