"""Every fault that the design names, what is expected of us then, and which tests make it."""
