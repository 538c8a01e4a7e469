"""The errors a person at the terminal sees without a traceback.

Their message says what to do next; anything else that escapes is a bug and shows its stack.
"""


class StackError(Exception):
    """Something outside this program must change before the command can succeed."""


class PortTaken(StackError):
    """Somebody else took a port after it was chosen: on another, the same start may succeed."""
