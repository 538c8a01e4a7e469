"""Two deaths on one way: of what is owed to the broker, and of what an operator sends again.

Whoever is started after the first dies at another step of the same way, or at the same one; or
who sends dies, and then who takes what may have been sent twice.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from tests.crashes import deeds_of_documents as documents
from tests.crashes import deeds_of_letters as letters
from tests.crashes.case import Case, Deed, Row
from tests.crashes.left_out import CALLED, KILLED, ONE

OWING = ("ingest", "extractor", "storage", "review")
RELAY = ("relay.claimed", "relay.published", "relay.deleted")
REPLAY = ("monitor.operation_prepared", "monitor.operation_stepped", *RELAY)
TAKING = (
    "consumer.before_handler",
    "unit.before_commit",
    "unit.after_commit",
    "consumer.after_handler",
    "consumer.before_ack",
)
# What is replayed here fails again.
BURYING = ("consumer.before_handler", "consumer.buried")
HANDED_ON = (
    ("ingest", "extractor", documents.hand_in, TAKING),
    ("extractor", "storage", documents.hand_in, TAKING),
    ("storage", "review", documents.hand_in, TAKING),
    ("monitor", "extractor", letters.replay_letters, BURYING),
)


def _in_one(service: str, deed: Deed, steps: Sequence[str]) -> Iterator[Case]:
    for first, second in product(steps, steps):
        row, then = Row(first, service, deed), Row(second, service, deed)
        yield from (Case(row, KILLED, situation, then) for situation in CALLED)


def _in_two(sends: str, takes: str, deed: Deed, steps: Sequence[str]) -> Iterator[Case]:
    for first, second in product(RELAY, steps):
        yield Case(Row(first, sends, deed), KILLED, ONE, Row(second, takes, deed))


PAIRS: tuple[Case, ...] = (
    *(case for service in OWING for case in _in_one(service, documents.hand_in_twice, RELAY)),
    *_in_one("monitor", letters.replay_letters_twice, REPLAY),
    *(case for way in HANDED_ON for case in _in_two(*way)),
)
