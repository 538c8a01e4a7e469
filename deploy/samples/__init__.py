"""Invoices to try the system with, and the program that draws them."""
