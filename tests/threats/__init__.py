"""Every threat that the design names, what keeps it off, and which tests try to break that."""
