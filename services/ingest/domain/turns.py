"""Whose turn it is to go to the broker: urgency first, but the oldest is never forgotten.

Places are given in priority order, and within a priority owner after owner. Of every eight
documents released while others wait, one is the one that waits longest. Urgent documents take
their place when they are accepted, window or not, so what they owe the oldest is paid beyond
the window too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from shared.contracts.body import Priority

# Seven in turn, then the oldest.
IN_TURN = 7
PRIORITIES = (Priority.URGENT, Priority.HIGH, Priority.NORMAL, Priority.BULK)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A document that is being accepted."""

    document_id: UUID
    owner_id: str
    priority: Priority
    accepted_at: datetime
    traceparent: str | None = None
    # False for one of a batch whose earlier members have to end first.
    ready: bool = True


@dataclass(frozen=True, slots=True)
class Look:
    """How things stand while at least one document waits."""

    free: int
    oldest: UUID
    # Released since the oldest last had its turn, or began to wait.
    urgent: int
    others: int
    # In which anybody waits, the most urgent first.
    priorities: Sequence[int] = PRIORITIES


@dataclass(frozen=True, slots=True)
class Turn:
    """What one round releases: the oldest or not, and how many in turn."""

    oldest: bool
    in_turn: int
    # Urgent releases for which the oldest still has a turn to come.
    urgent_owed: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """Whose turn it was in a round: how many in turn, and within each priority who was last."""

    others: int = 0
    oldest: bool = False
    urgent_owed: int = 0
    last: Mapping[int, str] = field(default_factory=dict)


def next_turn(look: Look) -> Turn:
    since = look.urgent + look.others
    owed = since >= IN_TURN
    oldest = owed and (look.free > 0 or look.urgent >= IN_TURN)
    until_oldest = IN_TURN - (0 if oldest else min(since, IN_TURN))
    in_turn = max(min(look.free - oldest, until_oldest), 0)
    left = look.urgent - IN_TURN if look.urgent >= IN_TURN else 0
    return Turn(oldest, in_turn, left if oldest else 0)
