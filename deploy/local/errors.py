"""The one error a person at the terminal sees without a traceback.

Its message says what to do next; anything else that escapes is a bug and shows its stack.
"""


class StackError(Exception):
    """Something outside this program must change before the command can succeed."""
