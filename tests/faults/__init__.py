"""Every fault that the design names and some more: what is expected then, and who tries it."""
