"""A document's states, whatever its facts do on their way: doubled, late, in any order.

The model says in a table what `services/ingest/domain/life.py` says in comparisons, and takes
the facts one by one where ingest takes them in batches. Held after each step: every document
is in one state and that is the model's (I1), each end is told once (I5), a timeline has no gap
and every deed one line in the audit log (I9), and nothing leaves a state that is the end but
by somebody's wish (I14).
"""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, precondition, rule

from services.ingest.domain.documents import Document
from services.ingest.handlers import receive_document, record_facts
from services.ingest.handlers.reprocess import reprocess_document
from services.ingest.handlers.withdraw import cancel_document, delete_document
from services.ingest.ports import Ports
from shared.bus.jobs import Job
from shared.contracts.body import DocumentFact
from shared.contracts.facts import DocumentEndedV1
from tests import builders
from tests.models.playing import Anew, Machine, Stage
from tests.unit.ingest.world import FakeUpload, World

# What each fact makes of a document within its run, and how far on it stands then.
LEADS_TO = {
    "waiting": ("queued", 1),
    "started": ("processing", 2),
    "progressed": ("processing", 2),
    "extracted": ("processing", 3),
}
ENDS_WELL = {"stored": "completed", "duplicate": "duplicate"}
# Ends more often than all before them, and most of the present run: there it is decided.
KINDS = (*LEADS_TO, *ENDS_WELL, "review_opened", *("stored", "failed", "failed", "failed"))
RUNS = (0, 0, 0, 1, 1, 2)
WITHDRAWN = ("cancelled", "deleted")
UNDER_WAY = ("queued", "processing")
DOCUMENTS_MAX = 6
# Of what is gone nothing more is learned, so most wishes are thought better of.
IS_MEANT = st.sampled_from((False, False, False, False, True))


class Intake(Protocol):
    """Ingest, in memory or on a database."""

    use: Ports

    async def accepted(self) -> UUID: ...

    async def document(self, document_id: UUID) -> Document: ...

    async def timeline(self, document_id: UUID) -> list[tuple[int, str]]: ...

    async def ended(self, document_id: UUID) -> list[str]: ...

    async def audited(self, document_id: UUID) -> list[str]: ...


@dataclass(slots=True)
class Expected:
    status: str = "queued"
    run: int = 0
    # How far within its run; an end is the farthest.
    rank: int = 1
    version: int = 0
    # The result that its present run is to replace.
    replaces: int = 0
    ends: list[str] = field(default_factory=list)
    facts: set[UUID] = field(default_factory=set)
    deeds: Counter[str] = field(default_factory=Counter)

    def hears(self, kind: str, job: Job[DocumentFact]) -> None:
        if self.status == "deleted":
            return
        self.facts.add(job.job_id)
        if self.status == "cancelled" or kind == "review_opened":
            return
        version = getattr(job.body, "result_version", 0)
        if kind in ENDS_WELL:
            self._is_stored(ENDS_WELL[kind], job.run, version)
        elif self.status not in ENDS_WELL.values():
            status, rank = LEADS_TO.get(kind, ("failed", 9))
            if (job.run, rank) > (self.run, self.rank):
                self._stands(status, rank)
        self.run = max(self.run, job.run)
        self.version = max(self.version, version)

    def _is_stored(self, status: str, run: int, version: int) -> None:
        has_ended = self.status in ENDS_WELL.values()
        failed_first = self.status == "failed" and run == self.run
        if not has_ended and not failed_first and version > self.replaces:
            self._stands(status, 9)

    def _stands(self, status: str, rank: int) -> None:
        self.status, self.rank = status, rank
        if rank == 9:
            self.ends.append(status)

    def is_withdrawn(self, status: str) -> bool:
        """Whether that is possible."""
        under_way = self.status in UNDER_WAY
        if status == "cancelled" and not (under_way and not self.version):
            return False
        if self.status == "deleted":
            return False
        if under_way:
            self.ends.append("cancelled")
        self.deeds[f"document_{status}"] += 1
        if status == "deleted":
            self.version = 0
        self.status = status
        return True

    def is_begun_anew(self, *, force: bool) -> bool:
        if not (self.status == "failed" or (force and self.status in ENDS_WELL.values())):
            return False
        self.status, self.run, self.rank = "queued", self.run + 1, 1
        self.replaces = self.version
        self.deeds["document_reprocessed"] += 1
        return True


class Documents(Machine[Intake]):
    told = Bundle("told")

    def __init__(self, stage: Stage[Intake]) -> None:
        super().__init__(stage)
        self.expected: dict[UUID, Expected] = {}
        self.revisions: dict[UUID, int] = {}

    @initialize()
    def there_is_one(self) -> None:
        self.one_is_accepted()

    @precondition(lambda self: len(self.expected) < DOCUMENTS_MAX)
    @rule()
    def one_is_accepted(self) -> None:
        document_id = self.does(self.setting.accepted())
        assert document_id not in self.expected
        self.expected[document_id] = Expected()

    @precondition(lambda self: self.expected)
    @rule(
        target=told,
        data=st.data(),
        kind=st.sampled_from(KINDS),
        run=st.sampled_from(RUNS),
        is_late=st.booleans(),
    )
    def a_stage_tells_of_it(
        self, data: st.DataObject, kind: str, run: int, is_late: bool
    ) -> tuple[str, Job[DocumentFact]]:
        """On its way from now on: when and how often it comes is for the other rule too."""
        document_id = data.draw(st.sampled_from(sorted(self.expected)))
        version = data.draw(st.integers(1, 3)) if kind in ENDS_WELL else 0
        fact = kind, fact_of(kind, document_id, run, version)
        if not is_late:
            self._come([fact])
        return fact

    @rule(facts=st.lists(told, min_size=1, max_size=5))
    def some_come(self, facts: Sequence[tuple[str, Job[DocumentFact]]]) -> None:
        """In one batch, in any order, and any of them once more."""
        self._come(facts)

    @precondition(lambda self: self.expected)
    @rule(
        data=st.data(),
        kinds=st.permutations((*ENDS_WELL, "failed")),
        runs=st.tuples(st.integers(0, 1), st.integers(0, 1)),
        at_once=st.booleans(),
    )
    def it_ends_twice(
        self, data: st.DataObject, kinds: list[str], runs: tuple[int, int], at_once: bool
    ) -> None:
        """Of one run the first end wins, whether both come in one batch or not."""
        document_id = data.draw(st.sampled_from(sorted(self.expected)))
        pairs = zip(kinds, runs, strict=False)
        ends = [(kind, fact_of(kind, document_id, run, 1)) for kind, run in pairs]
        for facts in [ends] if at_once else [[one] for one in ends]:
            self._come(facts)

    def _come(self, facts: Sequence[tuple[str, Job[DocumentFact]]]) -> None:
        # Each delivery is read for itself: two copies are equal, and not one and the same.
        self.does(record_facts([copy(job) for _, job in facts], self.setting.use))
        done = set[UUID]()
        for kind, job in facts:
            if job.job_id not in done:
                self.expected[job.body.document_id].hears(kind, job)
            done.add(job.job_id)

    @precondition(lambda self: self.expected)
    @rule(data=st.data(), status=st.sampled_from(WITHDRAWN), is_meant=IS_MEANT)
    def its_client_wants_it_no_more(
        self, data: st.DataObject, status: str, is_meant: bool
    ) -> None:
        if not is_meant:
            return
        document_id = data.draw(st.sampled_from(sorted(self.expected)))
        use = self.setting.use
        did = self.does(
            cancel_document(document_id, owner_id=None, actor="olga", use=use)
            if status == "cancelled"
            else delete_document(document_id, owner_id=None, actor="olga", use=use)
        )
        assert did == self.expected[document_id].is_withdrawn(status)

    @precondition(lambda self: self.expected)
    @rule(data=st.data(), force=st.booleans())
    def it_is_to_be_read_anew(self, data: st.DataObject, force: bool) -> None:
        document_id = data.draw(st.sampled_from(sorted(self.expected)))
        did = self.does(
            reprocess_document(
                document_id, owner_id=None, actor="olga", use=self.setting.use, force=force
            )
        )
        assert did == self.expected[document_id].is_begun_anew(force=force)

    @invariant()
    def each_is_where_the_model_says(self) -> None:
        for document_id, expected in self.expected.items():
            row = self.does(self.setting.document(document_id))
            found = (row.status, row.run, row.result_version)
            assert found == (expected.status, expected.run, expected.version)
            assert row.revision >= self.revisions.get(document_id, 0)
            self.revisions[document_id] = row.revision

    @invariant()
    def each_end_is_told_once(self) -> None:
        for document_id, expected in self.expected.items():
            assert self.does(self.setting.ended(document_id)) == expected.ends

    @invariant()
    def no_timeline_has_a_gap(self) -> None:
        for document_id, expected in self.expected.items():
            events = self.does(self.setting.timeline(document_id))
            if expected.status == "deleted":
                assert [kind for _, kind in events] == ["document.deleted"]
                continue
            cancelled = expected.status == "cancelled"
            count = 1 + len(expected.facts) + cancelled
            assert [seq for seq, _ in events] == [*range(1, count + 1)]

    @invariant()
    def every_deed_is_on_record_once(self) -> None:
        for document_id, expected in self.expected.items():
            assert Counter(self.does(self.setting.audited(document_id))) == expected.deeds


def fact_of(kind: str, document_id: UUID, run: int, version: int) -> Job[DocumentFact]:
    if kind in ENDS_WELL:
        fact = builders.stored(
            document_id=document_id, result_version=version, duplicate=kind == "duplicate"
        )
        return builders.job(fact, run=run)
    make = getattr(builders, kind)
    return builders.job(make(document_id=document_id), run=run)


class _InMemory:
    def __init__(self) -> None:
        self._world = World()
        self.use = self._world.use

    async def accepted(self) -> UUID:
        return (await receive_document(FakeUpload(), self.use)).document_id

    async def document(self, document_id: UUID) -> Document:
        return self._world.documents.rows[document_id]

    async def timeline(self, document_id: UUID) -> list[tuple[int, str]]:
        return [(one.seq, one.type) for _, one in self._world.documents.events[document_id]]

    async def ended(self, document_id: UUID) -> list[str]:
        ends = [one for one in self._world.ledger.sent if isinstance(one, DocumentEndedV1)]
        return [one.status for one in ends if one.document_id == document_id]

    async def audited(self, document_id: UUID) -> list[str]:
        resource = f"document/{document_id}"
        return [one.action for one in self._world.trail.entries if one.resource == resource]


@asynccontextmanager
async def in_memory() -> AsyncIterator[Anew[Intake]]:
    async def anew() -> Intake:
        return _InMemory()

    yield anew
