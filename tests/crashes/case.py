"""What a death is: at which instant, in whose process, on which deed's way, and with how much
in hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.crashes.left_out import (
    AGAIN,
    ALL,
    EVERYTHING,
    NOT_READY,
    ONE,
    TWENTY,
    Omission,
    reasons,
)
from tests.crashes.scene import Scene, Steps

Deed = Callable[[Scene], Steps]
COUNTS = {ONE: 1, TWENTY: 20, AGAIN: 1}
# No process of the stack, but an operator's command.
COMMAND = "topology"


@dataclass(frozen=True, slots=True)
class Row:
    point: str
    service: str
    deed: Deed
    # Beside that which holds of every delivery.
    but: Sequence[Omission] = ()
    # By the names of their variables. `{ten_days}` is a file of rules, see `Scene`.
    settings: Mapping[str, str] = field(default_factory=dict)
    nth: int = 1
    # How often a process meets it at its start, by nobody's deed.
    at_start: int = 0
    # Where the first dies, so that the next gets the same delivery once more.
    held_at: str = "consumer.before_handler"

    @property
    def left_out(self) -> Mapping[tuple[str, str], str]:
        """Why, by action and situation."""
        return reasons((*self.but, NOT_READY))

    @property
    def suffered(self) -> Sequence[tuple[str, str]]:
        left_out = self.left_out
        return [one for one in product(EVERYTHING, ALL) if one not in left_out]

    def failpoint(self, action: str) -> str:
        """For a process that runs already."""
        return f"{self.point}:{action}:{self.nth}"

    def failpoint_at_start(self, action: str) -> str:
        return f"{self.point}:{action}:{self.nth + self.at_start}"


@dataclass(frozen=True, slots=True)
class Case:
    row: Row
    action: str
    situation: str
    # The second of two deaths: of whoever is started in place of the first, or of the one that
    # takes what the first had sent.
    then: Row | None = None

    def __str__(self) -> str:
        row, deed = self.row, self.row.deed.__name__
        instants = " and then ".join(_instant(one) for one in (row, self.then) if one)
        return f"{instants}, {deed}: {self.action}, {self.situation}"

    @property
    def faults(self) -> int:
        return 1 if self.then is None else 2

    @property
    def services(self) -> frozenset[str]:
        """Those of the stack that it strikes."""
        struck = {self.row.service, *([self.then.service] if self.then else [])}
        return frozenset(struck - {COMMAND})


def _instant(row: Row) -> str:
    nth = f" met {row.nth} times" if row.nth > 1 else ""
    return f"{row.point}{nth} in {row.service}"
