"""A review item's states, in the hands of two reviewers, with orders that come twice and late.

Held after each step: there is one item for a document, as the model has it, and never a
second (I6); what a person has locked stands whatever is read later (I8); every change has one
line in the audit log (I9); a version only grows, and what was decided stays so unless somebody
opens it again or the document is read anew (I14).
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, precondition, rule

from services.review.domain.decisions import Reextraction, Reopening
from services.review.domain.edits import Change
from services.review.domain.items import Decision, resource_of
from services.review.handlers.claiming import (
    claim_item,
    claim_next_item,
    extend_claim,
    release_item,
)
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.deciding import approve_item, reject_item
from services.review.handlers.minding import mind_queue
from services.review.handlers.opening import open_items
from services.review.handlers.reextracting import ask_for_reading
from services.review.handlers.reopening import reopen_item
from services.review.handlers.withdrawing import withdraw_items
from shared.blobs.keys import content_key
from shared.bus.jobs import Job
from shared.contracts.orders import OpenReviewV1
from tests import builders
from tests.conformance.reviewing import Desk, desk_of
from tests.models.expected_item import OPEN, Expected
from tests.models.playing import Anew, Machine, Stage

DOCUMENTS_MAX = 2
WHO = st.sampled_from(("anna", "ben"))
# No sum of them is one of those, and none comes near in less than seconds.
PAUSES_S = (20.5, 901.0, 3701.0)
# What is read, and what people say instead: a person who says what was read confirms it.
READ, SAID = ("100.00", "200.00"), ("300.00", "400.00")
READING = st.integers(1, 4)
VERDICT = st.sampled_from(("approved", "rejected"))
# By how many versions: mostly the one that was seen is the last.
BEHIND = st.sampled_from((0, 0, 0, 1))
# Of a claim that is made longer there may be several lines.
NOT_COUNTED = ("item_claimed",)


class ReviewItems(Machine[Desk]):
    documents = Bundle("documents")
    orders = Bundle("orders")

    def __init__(self, stage: Stage[Desk]) -> None:
        super().__init__(stage)
        self.expected: dict[UUID, Expected] = {}
        self.handled: set[UUID] = set()
        self.now = 0.0

    @initialize(target=documents)
    def there_is_an_item(self) -> UUID:
        """So that a play need not come by one first."""
        document_id = self._read()
        self._comes(_order(self.setting, document_id, 1, READ[0]), READ[0])
        return document_id

    @precondition(lambda self: len(self.expected) < DOCUMENTS_MAX)
    @rule(target=documents)
    def another_document_is_read(self) -> UUID:
        return self._read()

    def _read(self) -> UUID:
        document_id = uuid4()
        self.expected[document_id] = Expected()
        return document_id

    @rule(target=orders, document_id=documents, reading=READING, total=st.sampled_from(READ))
    def it_is_to_be_reviewed(
        self, document_id: UUID, reading: int, total: str
    ) -> tuple[Job[OpenReviewV1], str]:
        """On its way: readings may pass each other there."""
        return _order(self.setting, document_id, reading, total), total

    @rule(order=orders)
    def an_order_comes(self, order: tuple[Job[OpenReviewV1], str]) -> None:
        """Perhaps once more."""
        self._comes(*order)

    def _comes(self, job: Job[OpenReviewV1], total: str) -> None:
        expected = self.expected[job.body.document_id]

        why = self.refused(open_items([job], self.setting.use))

        if expected.withdrawn:
            assert why == "Withdrawn"
        elif job.job_id in self.handled:
            assert why == "AlreadyHandled"
        else:
            assert not why
            self.handled.add(job.job_id)
            expected.comes(job.body.result_version, total)

    @rule(document_id=documents, who=WHO)
    def somebody_claims(self, document_id: UUID, who: str) -> None:
        expected = self.expected[document_id]

        why = self.refused(claim_item(document_id, who, self.setting.use))

        assert why == expected.why_not_claimed(who, self.now)
        if not why:
            expected.is_claimed(who, self.now)

    @rule(who=WHO)
    def somebody_asks_for_the_next(self, who: str) -> None:
        item = self.does(claim_next_item(who, self.setting.use))

        for one in self.expected.values():
            one.wakes(self.now)
        free = {
            document_id
            for document_id, one in self.expected.items()
            if one.status == "pending" and one.away_until is None
        }
        assert (item.document_id in free) if item else not free
        if item:
            self.expected[item.document_id].is_claimed(who, self.now)

    @rule(document_id=documents, who=WHO)
    def a_page_is_still_open(self, document_id: UUID, who: str) -> None:
        expected = self.expected[document_id]

        why = self.refused(extend_claim(document_id, who, self.setting.use))

        assert why == expected.why_not_held(who, self.now)
        if not why:
            expected.is_claimed(who, self.now)

    @rule(document_id=documents, who=WHO)
    def somebody_gives_it_back(self, document_id: UUID, who: str) -> None:
        expected = self.expected[document_id]
        is_theirs = expected.holder == who

        why = self.refused(release_item(document_id, who, self.setting.use))

        if is_theirs:
            assert not why
            expected.is_free()
            expected.deeds["item_released"] += 1
        elif expected.status in OPEN and not expected.is_held(self.now):
            assert not why
        else:
            assert why == expected.why_not_held(who, self.now)

    @rule(document_id=documents, who=WHO, behind=BEHIND, total=st.sampled_from(SAID))
    def somebody_corrects(self, document_id: UUID, who: str, behind: int, total: str) -> None:
        expected = self.expected[document_id]
        seen = expected.version - behind
        asked = Correction(document_id, who, seen, [Change("set", "total", total)])

        why = self.refused(correct_fields(asked, self.setting.use))

        assert why == expected.why_not_corrected(who, seen, self.now)
        if not why:
            expected.is_corrected(total)

    @rule(document_id=documents, who=WHO, behind=BEHIND, verdict=VERDICT)
    def somebody_decides(self, document_id: UUID, who: str, behind: int, verdict: str) -> None:
        """Perhaps what the same person has decided already, or another."""
        expected = self.expected[document_id]
        seen, use = expected.version - behind, self.setting.use
        is_known = expected.is_settled_as(verdict, who)

        why = self.refused(
            approve_item(document_id, who, seen, use, override="It is right.")
            if verdict == "approved"
            else reject_item(Decision(document_id, seen, who, "rejected"), use)
        )

        if is_known:
            assert not why
            return
        assert why == expected.why_not_decided(who, seen, self.now)
        if not why:
            is_corrected = verdict == "approved" and expected.locked_total is not None
            expected.is_decided("corrected" if is_corrected else verdict, who, self.now)

    @rule(document_id=documents, who=WHO, behind=BEHIND, undo=st.booleans())
    def somebody_takes_it_back(
        self, document_id: UUID, who: str, behind: int, undo: bool
    ) -> None:
        expected = self.expected[document_id]
        seen = expected.version - behind
        asked = Reopening(document_id, who, seen, "A mistake.", undo=undo)
        is_known = expected.status in OPEN and expected.reopened_by == who and behind == 1

        why = self.refused(reopen_item(asked, self.setting.use))

        if is_known:
            assert not why
            return
        assert why == expected.why_not_reopened(who, seen, self.now, undo=undo)
        if not why:
            expected.is_reopened(who, self.now, undo=undo)

    @rule(document_id=documents, who=WHO, behind=BEHIND)
    def somebody_has_it_read_anew(self, document_id: UUID, who: str, behind: int) -> None:
        expected = self.expected[document_id]
        seen = expected.version - behind
        asked = Reextraction(document_id, who, seen, "It is blurred.")
        is_known = expected.asked_by == who and expected.status in OPEN and behind == 1

        why = self.refused(ask_for_reading(asked, self.setting.use))

        if is_known:
            assert not why
            return
        assert why == expected.why_not_decided(who, seen, self.now)
        if not why:
            expected.is_given_back(who, self.now)

    @rule(document_id=documents, deleted=st.booleans())
    def its_client_wants_it_no_more(self, document_id: UUID, deleted: bool) -> None:
        """Told once or several times, and perhaps before there is an item."""
        expected = self.expected[document_id]
        make = builders.deleted if deleted else builders.cancelled
        fact = builders.job(make(document_id=document_id))

        self.does(withdraw_items([fact], self.setting.use))

        expected.is_withdrawn(deleted=deleted)

    @rule(seconds=st.sampled_from(PAUSES_S))
    def time_goes_by(self, seconds: float) -> None:
        self.does(self.setting.time.pass_for(seconds))
        self.now += seconds

    @rule()
    def the_queue_is_minded(self) -> None:
        self.does(mind_queue(self.setting.use))

        for one in self.expected.values():
            one.wakes(self.now)

    @invariant()
    def each_is_where_the_model_says(self) -> None:
        for document_id, expected in self.expected.items():
            item = self.does(self.setting.use.items.find_item(document_id))
            if item is None or not expected.status:
                assert item is None and not expected.status
                continue
            found = (item.status.value, item.version, item.result_version)
            assert found == (expected.status, expected.version, expected.reading)
            holder = item.claimed_by if item.claim_holds else None
            assert holder == (expected.holder if expected.is_held(self.now) else None)
            fields = self.does(self.setting.use.items.list_fields(document_id))
            [total] = [one.value for one in fields if one.path == "total"]
            # Whatever is read, what a person said stands.
            assert total == (expected.locked_total or expected.read_total)

    @invariant()
    def every_deed_is_on_record_once(self) -> None:
        trail = self.setting.use.trail
        for document_id, expected in self.expected.items():
            resource = resource_of(document_id)
            lines = self.does(trail.list_entries(resource, actor=None, limit=1_000))
            told = Counter(line.entry().action for line in lines)
            counted = {one: told[one] for one in told if one not in NOT_COUNTED}
            assert counted == dict(expected.deeds)


def _order(desk: Desk, document_id: UUID, reading: int, total: str) -> Job[OpenReviewV1]:
    bytes_of_its_own = sha256(document_id.bytes).hexdigest()
    read = builders.extraction(document_id=document_id, sha256=bytes_of_its_own)
    fields = {**read.fields, "total": builders.read_as(total)}
    fields["invoice_number"] = builders.read_as(f"R-{document_id.hex}")
    raw = read.model_copy(update={"fields": fields}).to_bytes()
    key = content_key(sha256(raw).hexdigest())
    desk.blobs.objects[key] = raw
    body = builders.open_review(
        document_id=document_id,
        extraction_key=key,
        result_version=reading,
        sha256=bytes_of_its_own,
    )
    return builders.job(body)


@asynccontextmanager
async def in_memory() -> AsyncIterator[Anew[Desk]]:
    async def anew() -> Desk:
        async with desk_of("memory") as desk:
            return desk

    yield anew
