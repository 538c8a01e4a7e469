"""Every failpoint of the code, in whose process it is met, and the deed that leads there.

A failpoint without a row fails a rule of the house, and a row whose point is not met fails its
case. Those that several services have are met in each of them.

Whoever is frozen is frozen where another takes over meanwhile: deliveries, what is owed to the
broker, operations, and duties. It would say nothing where somebody waits for an answer over
HTTP (`ingest` before it accepts, cancels or deletes, all of `review`, the hand-over): that
process has the request or nobody has, its transaction is ended as by a death, and who asks says
it again as after one. Nor would it of an operator's command, which runs once, or of what is
delivered again, which is another's already. Releases, manifests, strays and merged days are met
before a process is ready, so that it cannot be told from one that never began.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from deploy.local.credentials import SERVICES
from tests.crashes import deeds_of_documents as documents
from tests.crashes import deeds_of_people as people
from tests.crashes.case import ACTIONS, AGAIN, ALL, CALLED, COMMAND, FROZEN, ONE, Case, Row
from tests.crashes.moving import make_a_queue_anew
from tests.crashes.pairs import PAIRS
from tests.house.repository import ROOT

WINDOW = {"PAPERLINE_PIPELINE_WINDOW": "1"}
OLD = {"PAPERLINE_EXTRACTION_CONFIG": "{ten_days}", "PAPERLINE_SWEEP_EVERY_S": "1"}
TOLD = {
    "PAPERLINE_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
    "PAPERLINE_WEBHOOK_POLL_S": "0.1",
    "PAPERLINE_WEBHOOK_PLAIN_HTTP": "true",
}
MANIFESTS = {"PAPERLINE_MANIFESTS_EVERY_S": "0.2", "PAPERLINE_MANIFEST_DEBOUNCE_S": "0"}
MERGING = {
    **MANIFESTS,
    "PAPERLINE_COMPACT_AFTER_S": "0",
    "PAPERLINE_COMPACT_QUIET_S": "0",
    "PAPERLINE_COMPACT_EVERY_S": "0.3",
    "PAPERLINE_COMPACT_SHARE": "1",
}
PRUNING = {**MERGING, "PAPERLINE_PRUNE_AFTER_DAYS": "1"}
LEASE = {"PAPERLINE_EXPORT_LEASE_S": "3"}

INGEST = (
    *(
        Row(f"ingest.{edge}_commit", "ingest", deed, situations)
        for edge in ("before", "after")
        for deed, situations in (
            (documents.hand_in, CALLED),
            (documents.hand_in_a_batch, CALLED),
            (documents.split, (ONE, AGAIN)),
        )
    ),
    *(
        Row(f"ingest.{edge}_commit", "ingest", documents.submit, frozen=CALLED)
        for edge in ("before", "after")
    ),
    Row("ingest.before_release", "ingest", documents.hand_in, CALLED, WINDOW),
    Row("ingest.cancelled", "ingest", documents.cancel, CALLED),
    Row("ingest.deleted", "ingest", documents.delete, CALLED),
    Row("ingest.before_erasing", "ingest", documents.delete, CALLED),
    Row("ingest.expired", "ingest", documents.expire, CALLED, OLD, frozen=CALLED),
    Row("ingest.delivered", "ingest", documents.tell_a_webhook, CALLED, TOLD, frozen=CALLED),
)
EXTRACTOR = (
    *(
        Row(f"extractor.{step}", "extractor", documents.hand_in, frozen=CALLED)
        for step in ("engine_answered", "answer_kept", "before_commit")
    ),
    Row("consumer.waiting_published", "extractor", documents.hand_in_copies, CALLED),
    Row(*("consumer.buried", "extractor", people.hand_in_what_nobody_can_read), frozen=CALLED),
)
STORAGE = (
    *(
        Row(f"storage.{step}", "storage", documents.hand_in, frozen=CALLED)
        for step in ("before_write", "written", "before_commit", "committed", "published")
    ),
    *(
        Row(f"storage.{step}", "storage", documents.hand_in, CALLED, MANIFESTS)
        for step in ("manifest_written", "manifest_put")
    ),
    Row("storage.strays_erased", "storage", people.leave_a_stray, (ONE,), MERGING),
    *(
        Row(f"storage.{step}", "storage", documents.delete, frozen=CALLED)
        for step in ("erasing", "file_erased", "files_erased", "erased")
    ),
    Row("storage.erasure_reported", "storage", documents.delete, CALLED, frozen=CALLED),
    *(
        Row(f"storage.{step}", "storage", people.hand_over, CALLED)
        for step in ("batch_before_commit", "batch_committed", "ack_before_commit")
    ),
    *(
        Row(f"storage.{step}", "storage", people.export, CALLED, LEASE, frozen=CALLED)
        for step in ("export_page", "export_written")
    ),
)
REVIEW = tuple(
    Row(f"review.{step}", "review", deed, situations)
    for step in ("before_commit", "in_commit", "after_commit")
    for deed, situations in (
        (people.approve, CALLED),
        (people.correct, (ONE,)),
        (people.reopen, (ONE,)),
        (people.read_anew, (ONE,)),
        (documents.split, (ONE,)),
    )
)
# No delivery makes an operation move on, so none can come once more.
MONITOR = (
    Row("monitor.operation_prepared", "monitor", people.archive_letters, CALLED, frozen=CALLED),
    Row("monitor.operation_stepped", "monitor", people.archive_letters, CALLED, frozen=CALLED),
    Row("monitor.operation_stepped", "monitor", people.replay_letters, CALLED, frozen=CALLED),
    Row("monitor.duty_done", "monitor", people.be_late, (ONE,), frozen=(ONE,)),
)
# Whose sake it is that a service sends something. A delivery that comes once more makes all of
# them send but the monitor, which sends what an operator has asked for.
_SENDS = {
    "ingest": ((documents.hand_in, CALLED), (documents.submit, (AGAIN,))),
    "monitor": ((people.replay_letters, CALLED),),
}
_HANDED_IN = ((documents.hand_in, ALL),)
EVERYWHERE = tuple(
    row
    for service in SERVICES
    for row in (
        *(
            Row(f"consumer.{step}", service, documents.hand_in, frozen=CALLED)
            for step in ("before_handler", "after_handler", "before_ack")
        ),
        *(
            Row(
                *(f"unit.{edge}_commit", service, documents.hand_in),
                nth=nth,
                at_start=2,
                frozen=CALLED if nth == 1 else (),
            )
            for edge in ("before", "after")
            for nth in (1, 2)
        ),
        *(
            Row(
                *(f"relay.{step}", service, deed, situations),
                frozen=tuple(one for one in situations if one in CALLED),
            )
            for step in ("claimed", "published", "deleted")
            for deed, situations in _SENDS.get(service, _HANDED_IN)
        ),
    )
)
TOPOLOGY = tuple(
    Row(f"topology.{step}", COMMAND, make_a_queue_anew, CALLED)
    for step in ("stand_in_bound", "moved", "queue_deleted", "queue_bound")
)
# Last: once a day was merged, what is erased of it waits for the next merging; and of one that
# was pruned nobody looks at the files by document any more.
DAYS = (
    *(
        Row(f"storage.{step}", "storage", people.close_the_day, CALLED, MERGING)
        for step in ("compacting", "compacted_written", "compacted_put", "compaction_noted")
    ),
    Row("storage.pruning", "storage", people.prune_the_day, CALLED, PRUNING),
)
ROWS: tuple[Row, ...] = (
    *INGEST,
    *EXTRACTOR,
    *STORAGE,
    *REVIEW,
    *MONITOR,
    *EVERYWHERE,
    *TOPOLOGY,
    *DAYS,
)


def cases() -> Iterator[Case]:
    yield from PAIRS
    for row in ROWS:
        for action in ACTIONS:
            yield from (Case(row, action, situation) for situation in row.situations)
        yield from (Case(row, FROZEN, situation) for situation in row.frozen)


def sampled(count: int | None, seed: int) -> list[Case]:
    """All of them, or so many: the same for the same seed, and in their order."""
    every = list(cases())
    if count is None or count >= len(every):
        return every
    chosen = sorted(Random(seed).sample(range(len(every)), count))
    return [every[at] for at in chosen]


def shared_out(chosen: Sequence[Case], share: str) -> Sequence[Case]:
    """Of `2/3` the second, fifth, eighth, …: each share in the order of the whole."""
    which, of = map(int, share.split("/"))
    return chosen[which - 1 :: of]


@cache
def named_points() -> frozenset[str]:
    """Those of the code."""
    return frozenset(
        step
        for part in ("shared", "services")
        for path in (ROOT / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for step in _step(node)
    )


def _step(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name("failpoint"), args=[ast.Constant(str(step))]):
            yield step
