"""How the system is run: on one machine from a checkout, in containers, in a cluster.

Nothing in here is imported by a service; a service learns where it runs from its environment.
"""
