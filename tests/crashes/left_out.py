"""What of all actions and situations says nothing at an instant, each with its reason.

Every instant is died at in every way unless one of these stands in its row: what nobody has
tried is then something that somebody has decided, and can be asked about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

ONE, TWENTY, AGAIN = "one document", "twenty documents", "a redelivered one"
ALL, CALLED = (ONE, TWENTY, AGAIN), (ONE, TWENTY)
# Its death, a failure that the process survives, and two seconds of delay.
KILLED, FAILED, HELD_UP = ACTIONS = ("kill", "raise", "delay")
# Frozen until somebody else has done it, past every lease.
FROZEN = "stop"
EVERYTHING = (*ACTIONS, FROZEN)


@dataclass(frozen=True, slots=True)
class Omission:
    why: str
    actions: Sequence[str] = EVERYTHING
    situations: Sequence[str] = ALL

    @property
    def what(self) -> Sequence[tuple[str, str]]:
        return [*product(self.actions, self.situations)]


NOT_READY = Omission(
    "what comes again comes before the process is ready: frozen then, it cannot be told from "
    "one that never began",
    (FROZEN,),
    (AGAIN,),
)
BY_ITSELF = Omission(
    "a request or a round leads there, and no delivery that could come again",
    situations=(AGAIN,),
)
ASKED = Omission(
    "that process has the request or nobody has: frozen, its transaction is ended as by a "
    "death, and who asks says it again as after one",
    (FROZEN,),
)
AT_ITS_START = Omission(
    "it is met before the process is ready: frozen then, it cannot be told from one that "
    "never began",
    (FROZEN,),
)
A_COMMAND = Omission("an operator's command runs once, and nobody goes on for it", (FROZEN,))
ONE_FOR_ALL = Omission(
    "it is done once, however many documents there are", situations=(TWENTY,)
)

# Of the points that all services share, who never comes there, and why.
_NEVER_WAITS = (
    "nothing makes it wait but a server that is away, which strikes all in the nemesis; "
    "the step is the bus's own, and the same in all"
)
NEVER_THERE: Mapping[tuple[str, str], str] = {
    ("consumer.waiting_published", service): _NEVER_WAITS
    for service in ("ingest", "storage", "review", "monitor")
}


def reasons(omissions: Sequence[Omission]) -> Mapping[tuple[str, str], str]:
    """By action and situation; the first that has a reason says it."""
    found: dict[tuple[str, str], str] = {}
    for one in omissions:
        for what in one.what:
            found.setdefault(what, one.why)
    return found
