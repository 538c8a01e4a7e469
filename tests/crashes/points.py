"""Every failpoint of the code, in whose process it is met, and the deed that leads there.

A failpoint without a row fails a rule of the house, and a row whose point is not met fails its
case. Those that several services have are met in each of them. Every row is suffered with all
actions and in all situations, but for what stands in it as left out, with its reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from deploy.local.credentials import SERVICES
from tests.crashes import deeds_of_documents as documents
from tests.crashes import deeds_of_letters as letters
from tests.crashes import deeds_of_people as people
from tests.crashes.case import COMMAND, Case, Deed, Row
from tests.crashes.left_out import (
    A_COMMAND,
    ASKED,
    AT_ITS_START,
    BY_ITSELF,
    ONE_FOR_ALL,
    Omission,
)
from tests.crashes.moving import make_a_queue_anew
from tests.crashes.pairs import PAIRS

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

# What a person or a program asks for over HTTP.
BY_REQUEST = (BY_ITSELF, ASKED)
INGEST = (
    *(
        Row(f"ingest.{edge}_commit", "ingest", deed, but)
        for edge in ("before", "after")
        for deed, but in (
            (documents.hand_in, BY_REQUEST),
            (documents.hand_in_a_batch, BY_REQUEST),
            (documents.submit, ()),
            (documents.split, ()),
        )
    ),
    Row(
        "ingest.before_release", "ingest", documents.hand_in, (BY_ITSELF, AT_ITS_START), WINDOW
    ),
    Row("ingest.cancelled", "ingest", documents.cancel, BY_REQUEST),
    Row("ingest.deleted", "ingest", documents.delete, BY_REQUEST),
    Row("ingest.before_erasing", "ingest", documents.delete, (BY_ITSELF,)),
    Row("ingest.expired", "ingest", documents.expire, (BY_ITSELF,), OLD),
    Row("ingest.delivered", "ingest", documents.tell_a_webhook, (BY_ITSELF,), TOLD),
)
EXTRACTOR = (
    *(
        Row(f"extractor.{step}", "extractor", documents.hand_in)
        for step in ("engine_answered", "answer_kept", "before_commit")
    ),
    Row("consumer.waiting_published", "extractor", documents.hand_in_copies),
    Row("consumer.buried", "extractor", letters.hand_in_what_nobody_can_read),
)
STORAGE = (
    *(
        Row(f"storage.{step}", "storage", documents.hand_in)
        for step in ("before_write", "written", "before_commit", "committed", "published")
    ),
    *(
        Row(
            f"storage.{step}",
            "storage",
            documents.hand_in,
            (BY_ITSELF, AT_ITS_START),
            MANIFESTS,
        )
        for step in ("manifest_written", "manifest_put")
    ),
    Row(
        *("storage.strays_erased", "storage", people.leave_strays),
        but=(BY_ITSELF, AT_ITS_START),
        settings=MERGING,
    ),
    *(
        Row(f"storage.{step}", "storage", documents.delete)
        for step in ("erasing", "file_erased", "files_erased", "erased")
    ),
    Row("storage.erasure_reported", "storage", documents.delete, (BY_ITSELF,)),
    *(
        Row(f"storage.{step}", "storage", people.hand_over, BY_REQUEST)
        for step in ("batch_before_commit", "batch_committed", "ack_before_commit")
    ),
    *(
        Row(f"storage.{step}", "storage", people.export, (BY_ITSELF,), LEASE)
        for step in ("export_page", "export_written")
    ),
)
REVIEW = tuple(
    Row(f"review.{step}", "review", deed, BY_REQUEST)
    for step in ("before_commit", "in_commit", "after_commit")
    for deed in (
        people.approve,
        people.correct,
        people.reopen,
        people.read_anew,
        documents.split,
    )
)
MONITOR = (
    *(
        Row(
            *(f"letters.{step}", "monitor", letters.hand_in_what_nobody_can_read),
            held_at="letters.taken",
        )
        for step in ("taken", "kept")
    ),
    *(
        Row(f"monitor.{step}", "monitor", deed, BY_REQUEST)
        for step in ("in_commit", "after_commit")
        for deed in (letters.replay_one_by_one, letters.edit_and_replay)
    ),
    Row("monitor.operation_prepared", "monitor", letters.archive_letters, (BY_ITSELF,)),
    Row("monitor.operation_stepped", "monitor", letters.archive_letters, (BY_ITSELF,)),
    Row("monitor.operation_stepped", "monitor", letters.replay_letters, (BY_ITSELF,)),
    Row("monitor.duty_done", "monitor", people.be_late, (BY_ITSELF, ONE_FOR_ALL)),
)
# Whose sake it is that a service sends something. A delivery that comes once more makes all of
# them send but the monitor, which sends what an operator has asked for.
_SENDS: Mapping[str, Sequence[tuple[Deed, Sequence[Omission]]]] = {
    "ingest": ((documents.hand_in, (BY_ITSELF,)), (documents.submit, ())),
    "monitor": ((letters.replay_letters, (BY_ITSELF,)),),
}
_HANDED_IN: Sequence[tuple[Deed, Sequence[Omission]]] = ((documents.hand_in, ()),)
EVERYWHERE = tuple(
    row
    for service in SERVICES
    for row in (
        *(
            Row(f"consumer.{step}", service, documents.hand_in)
            for step in ("before_handler", "after_handler", "before_ack")
        ),
        *(
            Row(*(f"unit.{edge}_commit", service, documents.hand_in), nth=nth, at_start=2)
            for edge in ("before", "after")
            for nth in (1, 2)
        ),
        *(
            Row(f"relay.{step}", service, deed, but)
            for step in ("claimed", "published", "deleted")
            for deed, but in _SENDS.get(service, _HANDED_IN)
        ),
    )
)
# What the extractor gives up of itself is what nobody can read.
UNKNOWN = tuple(
    Row(
        "consumer.buried",
        service,
        letters.send_what_nobody_knows(queue),
        held_at="consumer.buried",
    )
    for service, queue in (
        ("ingest", "ingest.submit"),
        ("storage", "storage.store"),
        ("review", "review.open"),
        ("monitor", "monitor.watch"),
    )
)
TOPOLOGY = tuple(
    Row(f"topology.{step}", COMMAND, make_a_queue_anew, (BY_ITSELF, A_COMMAND))
    for step in ("stand_in_bound", "moved", "queue_deleted", "queue_bound")
)
# Last: once a day was merged, what is erased of it waits for the next merging; and of one that
# was pruned nobody looks at the files by document any more.
DAYS = (
    *(
        Row(
            f"storage.{step}",
            "storage",
            people.close_the_day,
            (BY_ITSELF, AT_ITS_START),
            MERGING,
        )
        for step in ("compacting", "compacted_written", "compacted_put", "compaction_noted")
    ),
    Row("storage.pruning", "storage", people.prune_the_day, (BY_ITSELF, AT_ITS_START), PRUNING),
)
ROWS: tuple[Row, ...] = (
    *INGEST,
    *EXTRACTOR,
    *STORAGE,
    *REVIEW,
    *MONITOR,
    *EVERYWHERE,
    *UNKNOWN,
    *TOPOLOGY,
    *DAYS,
)


def cases() -> Iterator[Case]:
    yield from PAIRS
    for row in ROWS:
        yield from (Case(row, action, situation) for action, situation in row.suffered)


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
