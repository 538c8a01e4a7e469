"""Passwords and addresses for containers: made once, one folder per container, one file each.

Standard library only: whoever runs containers needs `python3` and nothing of ours installed.
"""
