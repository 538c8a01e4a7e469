"""What the plan promises for any table of queues, asked of its routes and not of its text."""

from itertools import pairwise

import pytest

from shared.contracts.body import Body, Fact
from shared.contracts.facts import FACTS
from shared.contracts.registry import ORDERS
from shared.topology.ladder import HOME, RUNGS, rung_name
from shared.topology.plan import Plan, QueueKind, plan
from shared.topology.queues import (
    DEAD,
    EVENTS,
    INGEST,
    JOBS,
    PRIORITY_MAX,
    SUBMIT,
    UNROUTABLE,
    WORK_QUEUES,
    WorkQueue,
    dead_queue,
    destination,
)
from tests.fakes.exchanges import Exchanges

PLANS: dict[QueueKind, Plan] = {
    "classic": plan(work_kind="classic"),
    "quorum": plan(work_kind="quorum"),
}
REFUSING = {"x-max-length", "x-max-length-bytes", "x-max-in-memory-length"}

either_kind = pytest.mark.parametrize("kind", PLANS)
every_queue = pytest.mark.parametrize("queue", WORK_QUEUES, ids=lambda one: one.name)
# An answer goes where its reader said, which no plan knows.
every_body = pytest.mark.parametrize("body", (*ORDERS, *FACTS), ids=lambda one: one.type)


def _route(exchange: str, key: str, kind: QueueKind = "classic") -> list[str]:
    return Exchanges(PLANS[kind]).route(exchange, key)


@either_kind
@every_queue
def test_jobs_reaches_every_work_queue_alone_under_its_name(
    kind: QueueKind, queue: WorkQueue
) -> None:
    assert _route(JOBS, queue.name, kind) == [queue.name]


@either_kind
@every_queue
def test_what_a_queue_gives_up_lands_in_its_dead_queue_alone(
    kind: QueueKind, queue: WorkQueue
) -> None:
    arguments = Exchanges(PLANS[kind]).queues[queue.name].arguments

    reached = _route(
        str(arguments["x-dead-letter-exchange"]),
        str(arguments["x-dead-letter-routing-key"]),
        kind,
    )

    assert reached == [dead_queue(queue.name)]


@every_body
def test_a_body_reaches_exactly_the_queues_that_take_it(body: type[Body]) -> None:
    to = destination(body)

    takers = sorted(queue.name for queue in WORK_QUEUES if body in queue.takes)
    assert _route(to.exchange, to.routing_key) == takers
    assert issubclass(body, Fact) or len(takers) == 1


def test_the_public_door_takes_submissions_and_nothing_else() -> None:
    [submission] = SUBMIT.takes

    assert _route(INGEST, submission.type) == [SUBMIT.name]
    assert _route(INGEST, "document.extract") == [UNROUTABLE]


@pytest.mark.parametrize("exchange", [DEAD, HOME, rung_name(0), rung_name(15)])
def test_what_nobody_is_bound_for_is_caught_and_kept(exchange: str) -> None:
    assert _route(exchange, "nobody.knows") == [UNROUTABLE]


@pytest.mark.parametrize("exchange", [JOBS, EVENTS])
def test_the_relay_is_told_what_its_exchanges_have_no_queue_for(exchange: str) -> None:
    assert _route(exchange, "nobody.knows") == []


@either_kind
@every_queue
def test_priorities_are_declared_on_classic_queues_only(
    kind: QueueKind, queue: WorkQueue
) -> None:
    arguments = Exchanges(PLANS[kind]).queues[queue.name].arguments

    assert queue.priority_max in (0, PRIORITY_MAX)
    if queue.priority_max and kind == "classic":
        assert arguments["x-queue-type"] == "classic"
        assert arguments["x-max-priority"] == PRIORITY_MAX
    else:
        assert arguments["x-queue-type"] == "quorum"
        assert "x-max-priority" not in arguments


@either_kind
@every_queue
def test_a_quorum_work_queue_gives_up_late_and_loses_nothing(
    kind: QueueKind, queue: WorkQueue
) -> None:
    arguments = Exchanges(PLANS[kind]).queues[queue.name].arguments
    if arguments["x-queue-type"] != "quorum":
        return

    assert arguments["x-delivery-limit"] == 100
    assert arguments["x-dead-letter-strategy"] == "at-least-once"
    # The broker falls back to losing letters without this.
    assert arguments["x-overflow"] == "reject-publish"


@either_kind
def test_letters_are_kept_however_often_their_drainer_crashes(kind: QueueKind) -> None:
    queues = Exchanges(PLANS[kind]).queues
    letters = [*(dead_queue(queue.name) for queue in WORK_QUEUES), UNROUTABLE]

    assert {queues[name].arguments["x-queue-type"] for name in letters} == {"quorum"}
    assert {queues[name].arguments["x-delivery-limit"] for name in letters} == {10**9}


@either_kind
def test_nothing_that_a_rung_can_reach_may_refuse(kind: QueueKind) -> None:
    exchanges = Exchanges(PLANS[kind])
    homes = [queue.name for queue in WORK_QUEUES]
    reachable = {
        *(
            name
            for queue in homes
            for name in exchanges.route(HOME, ".".join([*"0" * 16, queue]))
        ),
        *exchanges.route(HOME, "nobody.knows"),
        *(rung_name(level) for level in range(RUNGS)),
        *(dead_queue(queue) for queue in homes),
    }

    assert len(reachable) == len(exchanges.queues)
    assert not [name for name in reachable if REFUSING & set(exchanges.queues[name].arguments)]


@either_kind
def test_each_rung_lasts_twice_as_long_as_the_one_below(kind: QueueKind) -> None:
    queues = Exchanges(PLANS[kind]).queues
    lasting = [int(queues[rung_name(level)].arguments["x-message-ttl"]) for level in range(16)]

    assert lasting[0] == 250
    assert all(upper == 2 * lower for lower, upper in pairwise(lasting))


@either_kind
def test_a_rung_hands_down_to_the_next_and_the_last_one_home(kind: QueueKind) -> None:
    queues = Exchanges(PLANS[kind]).queues
    below = [
        queues[rung_name(level)].arguments["x-dead-letter-exchange"] for level in range(16)
    ]

    assert below == [HOME, *(rung_name(level) for level in range(15))]


def test_the_kind_of_work_queues_changes_nothing_else() -> None:
    classic, quorum = PLANS["classic"], PLANS["quorum"]
    urgent = {queue.name for queue in WORK_QUEUES if queue.priority_max}
    changed = {
        before.name
        for before, after in zip(classic.queues, quorum.queues, strict=True)
        if before != after
    }

    assert (classic.exchanges, classic.bindings) == (quorum.exchanges, quorum.bindings)
    assert changed == urgent


def test_a_name_is_planned_once() -> None:
    the_plan = PLANS["classic"]

    for names in (
        [one.name for one in the_plan.exchanges],
        [one.name for one in the_plan.queues],
        the_plan.bindings,
    ):
        assert len(set(names)) == len(names)
