"""Who asks to be answered is, and nobody can have us write where it may not write itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.answering import is_a_senders_own
from shared.bus.decision import DeadLetter
from shared.bus.delivery import Delivery
from shared.bus.headers import CORRELATION, REPLY_TO, Headers
from shared.bus.publisher import Outcome
from shared.bus.settling import Settler
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.envelope import Unacceptable, decode, open_body
from shared.errors import Rejected
from shared.ledger.rows import OutboxRow
from shared.topology.plan import plan
from shared.topology.queues import DEFAULT_EXCHANGE, EXTRACT, REPLY_QUEUES, SUBMIT
from tests.builders import submit_document
from tests.fakes.bus import FakePublisher, InMemoryJobRecord
from tests.fakes.deliveries import delivery, envelope

MISSING = Rejected("source_missing", "2026/a.pdf")
ASKS = {REPLY_TO: "reply.acme", CORRELATION: "mine-1"}


def arrived(raw: bytes | None = None, *, headers: Headers = ASKS) -> Delivery:
    return delivery(SUBMIT, raw or envelope(submit_document()), headers=headers)


class World:
    def __init__(self) -> None:
        self.publisher = FakePublisher()
        self.record = InMemoryJobRecord()
        self.settler = Settler(SUBMIT, self.publisher, self.record)

    async def bury(
        self, one: Delivery, error: Exception = MISSING, category: str = "rejected"
    ) -> None:
        letter = DeadLetter(getattr(error, "reason", category), category)
        await self.settler.carry_out(one, letter, error)

    @property
    def answers(self) -> list[SubmissionAnsweredV1]:
        bodies = [open_body(decode(row.body)) for row in self.rows]
        return [one for one in bodies if isinstance(one, SubmissionAnsweredV1)]

    @property
    def rows(self) -> list[OutboxRow]:
        return [row for row in self.record.outbox if row.exchange == DEFAULT_EXCHANGE]


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("kind", ["classic", "quorum"])
def test_no_queue_of_the_plan_can_be_taken_for_a_senders(kind: str) -> None:
    planned = plan(work_kind="classic" if kind == "classic" else "quorum")

    assert not [one.name for one in planned.queues if is_a_senders_own(one.name)]


@given(st.text())
def test_only_what_begins_like_a_reply_queue_is_a_senders(name: str) -> None:
    assert not is_a_senders_own(name) or name.startswith(REPLY_QUEUES)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("amq.gen-JzTY20BRgKO-HjmUJj0wLg", True),
        ("reply.acme.7", True),
        ("reply.", False),
        ("reply.a b", False),
        ("reply.a\n", False),
        ("reply." + "a" * 201, False),
        ("xreply.acme", False),
        ("replyXacme", False),
        ("extractor.extract", False),
        # The broker closes the connection that answers a forged one.
        ("amq.rabbitmq.reply-to.abc.def", False),
        ("", False),
    ],
)
def test_a_reply_address_is_a_plain_name_of_a_senders_queue(name: str, own: bool) -> None:
    assert is_a_senders_own(name) == own


def test_what_is_asked_by_a_property_stands_in_the_headers_of_the_job() -> None:
    one = delivery(
        SUBMIT,
        envelope(submit_document()),
        headers={CORRELATION: "of the run before"},
        asked=("reply.acme", "mine-1"),
    )

    assert one.job is not None
    assert one.job.wants_answer
    assert {name: one.job.headers[name] for name in ASKS} == ASKS


def test_no_other_queue_listens_to_a_reply_address() -> None:
    one = delivery(EXTRACT, headers=ASKS, asked=("extractor.extract", "mine-1"))

    assert one.error is None
    assert not set(ASKS) & set(one.headers)


@pytest.mark.parametrize("reply_to", ["extractor.extract", "amq.rabbitmq.reply-to.g1.x"])
def test_an_address_that_is_none_of_a_senders_is_refused_and_forgotten(reply_to: str) -> None:
    for one in (
        delivery(SUBMIT, envelope(submit_document()), asked=(reply_to, "mine-1")),
        arrived(headers={REPLY_TO: reply_to}),
    ):
        assert isinstance(one.error, Unacceptable)
        assert one.error.reason == "invalid_reply_to"
        assert REPLY_TO not in one.headers


async def test_a_refusal_is_answered_in_the_commit_that_buries_it(world: World) -> None:
    one = arrived()

    await world.bury(one)

    [row], [answer] = world.rows, world.answers
    assert (row.routing_key, row.outgoing().correlation_id) == ("reply.acme", "mine-1")
    assert (answer.outcome, answer.reason) == ("rejected", "source_missing")
    assert (answer.detail, answer.cause_id) == ("2026/a.pdf", one.job_id)
    assert world.publisher.published == []


async def test_nobody_is_answered_who_did_not_ask(world: World) -> None:
    await world.bury(arrived(headers={CORRELATION: "mine-1"}))

    assert world.answers == []


async def test_what_was_finished_before_is_not_refused_now(world: World) -> None:
    one = arrived()
    assert one.job is not None
    world.record.mark_done(SUBMIT, one.job)

    await world.bury(one)

    assert world.answers == []


async def test_a_defect_of_ours_is_told_without_its_words(world: World) -> None:
    await world.bury(arrived(), KeyError("a table's name"), "bug")

    [answer] = world.answers
    assert (answer.reason, answer.detail) == ("bug", "")


async def test_what_cannot_be_read_is_answered_when_it_is_safe(world: World) -> None:
    one = arrived(b"no envelope")
    assert one.error is not None

    await world.bury(one, one.error, "undecodable")

    letter, answer = world.publisher.published
    assert (letter.exchange, letter.body) == ("dead", b"no envelope")
    assert (answer.exchange, answer.routing_key) == (DEFAULT_EXCHANGE, "reply.acme")
    assert answer.correlation_id == "mine-1"


@pytest.mark.parametrize("outcome", [Outcome.RETURNED, Outcome.REFUSED, Outcome.UNKNOWN])
async def test_an_answer_that_nobody_takes_does_not_unsettle_the_letter(
    world: World, outcome: Outcome
) -> None:
    world.publisher.outcomes.extend([Outcome.CONFIRMED, outcome])
    one = arrived(b"no envelope")
    assert one.error is not None

    await world.bury(one, one.error, "undecodable")

    assert len(world.publisher.published) == 2
