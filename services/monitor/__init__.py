"""Keeps every dead letter, replays what an operator asks for, and shows where things stand."""
