"""A double of the Gemini HTTP API: answers as the API does, and fails as it is told.

On loopback and on raw sockets, because half of what has to be survived is what no web
framework would send. In a process of its own (`python -m tests.gemini_double`) or inside a
test; both are steered alike.
"""
