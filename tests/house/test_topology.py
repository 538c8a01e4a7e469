"""Rules the topology keeps whatever rows the table gets, read from the plan without a broker.

Each names a way in which a single queue could lose messages or hold up everybody's.
"""

import pytest

from shared.topology.plan import Plan, Queue, QueueKind, plan
from shared.topology.queues import DEAD, EVENTS, JOBS, WORK_QUEUES, WorkQueue, dead_queue
from tests.house.repository import SERVICES

KINDS: tuple[QueueKind, ...] = ("classic", "quorum")
LENGTH_LIMITS = {"x-max-length", "x-max-length-bytes"}

# Only our relay publishes there, and `mandatory` tells it what nobody takes.
WITHOUT_ALTERNATE = {JOBS, EVENTS}

either_kind = pytest.mark.parametrize("kind", KINDS)
every_work_queue = pytest.mark.parametrize("queue", WORK_QUEUES, ids=lambda one: one.name)


def _plan(kind: QueueKind) -> Plan:
    return plan(WORK_QUEUES, work_kind=kind)


def _queue(kind: QueueKind, name: str) -> Queue:
    [found] = [one for one in _plan(kind).queues if one.name == name]
    return found


@either_kind
def test_no_queue_refuses_or_drops_for_being_full(kind: QueueKind) -> None:
    # A refusing target stalls the rung above it for minutes; a dropping one loses documents.
    limited = [one.name for one in _plan(kind).queues if LENGTH_LIMITS & set(one.arguments)]

    assert not limited


@either_kind
def test_a_message_leaves_its_rung_under_the_key_it_came_with(kind: QueueKind) -> None:
    rungs = [one for one in _plan(kind).queues if "x-message-ttl" in one.arguments]

    assert len(rungs) == 16
    assert not [one.name for one in rungs if "x-dead-letter-routing-key" in one.arguments]


@either_kind
@every_work_queue
def test_what_a_queue_gives_up_finds_a_dead_queue(kind: QueueKind, queue: WorkQueue) -> None:
    arguments = _queue(kind, queue.name).arguments
    bindings = {(one.source, one.routing_key, one.destination) for one in _plan(kind).bindings}

    assert arguments["x-dead-letter-exchange"] == DEAD
    assert arguments["x-dead-letter-routing-key"] == queue.name
    assert (DEAD, queue.name, dead_queue(queue.name)) in bindings


@either_kind
@every_work_queue
def test_a_replay_and_a_delayed_message_reach_every_queue(
    kind: QueueKind, queue: WorkQueue
) -> None:
    sources = {one.source for one in _plan(kind).bindings if one.destination == queue.name}

    assert {JOBS, "delay.home"} <= sources


@either_kind
def test_only_orders_and_facts_go_without_a_second_chance(kind: QueueKind) -> None:
    direct = {
        one.name
        for one in _plan(kind).exchanges
        if one.kind != "fanout" and "alternate-exchange" not in one.arguments
    }

    assert direct == WITHOUT_ALTERNATE


@either_kind
def test_a_quorum_queue_never_gets_an_argument_it_refuses(kind: QueueKind) -> None:
    refused = [
        one.name
        for one in _plan(kind).queues
        if one.arguments["x-queue-type"] == "quorum" and "x-max-priority" in one.arguments
    ]

    assert not refused


@every_work_queue
def test_a_queue_belongs_to_a_service_and_is_taken_from_in_one_way(queue: WorkQueue) -> None:
    assert queue.service in SERVICES
    assert bool(queue.slots) != bool(queue.batch)
    # Below the broker's own limit of thirty minutes, which would close the channel.
    assert queue.timeout_s + 10 < 30 * 60
