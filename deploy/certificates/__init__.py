"""An authority of one's own, and what it certifies: for TLS where no other authority reaches.

Standard library and the program `openssl`: whoever runs containers has both.
"""
