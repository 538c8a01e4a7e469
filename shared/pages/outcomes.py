"""How a file that cannot be read is told of, inside the child and out of it."""


class Unreadable(Exception):
    """The reason is the code of the outcome: encrypted, unreadable, too_large."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail)
        self.reason = reason
