"""What a document waits for before it goes to the broker, in one line for a person."""

from dataclasses import dataclass

# Further back, the number would say no more than that it is far.
TOLD_MAX = 1_000
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """`place` and `length` count from one, and are None where they are beyond what is told."""

    ready: bool
    place: int | None
    length: int | None

    @property
    def line(self) -> str:
        if not self.ready:
            return "held until earlier documents of its batch have ended"
        if self.place is None:
            return f"waiting for its turn: behind more than {TOLD_MAX}"
        length = f"more than {TOLD_MAX}" if self.length is None else str(self.length)
        return f"waiting for its turn: {ordinal(self.place)} of {length}"

    @property
    def tag(self) -> str:
        """Changes with the line, as an entity tag has to."""
        return f"{self.place or 0}.{self.length or 0}" if self.ready else "held"


def queue_place(ready: bool, place: int, length: int) -> QueuePlace:
    if not ready:
        return QueuePlace(False, None, None)
    return QueuePlace(
        True,
        place if place <= TOLD_MAX else None,
        # The three counts are taken one after another, while documents go and come.
        max(length, place) if max(length, place) <= TOLD_MAX else None,
    )


def ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{_ENDINGS.get(number % 10, 'th')}"
