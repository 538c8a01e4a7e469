"""Draws the pages of untrusted files for the desk, in a child that has nothing to lose."""
