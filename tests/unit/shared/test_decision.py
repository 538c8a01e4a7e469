"""Every row of the one table that says what an error means for a message."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.decision import DeadLetter, Decision, Done, Poisonous, Standing, Wait, decide
from shared.bus.jobs import AlreadyHandled
from shared.contracts.envelope import Unacceptable, Undecodable
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Deferred, Rejected, Retryable, Withdrawn
from shared.topology.queues import EXTRACT, STORE, WorkQueue
from tests.fakes.clock import NOON

HOUR_S = 3600.0

QUEUE = WorkQueue("bench.work", (ExtractDocumentV1,), slots=1, attempts_max=4, patience_s=600)


def standing(attempt: int = 1, deferrals: int = 0, waited_s: float = 0.0) -> Standing:
    return Standing(attempt, deferrals, since=NOON - timedelta(seconds=waited_s), now=NOON)


def fate(
    error: Exception | None,
    *,
    at: Standing | None = None,
    queue: WorkQueue = QUEUE,
    uniform: Callable[[], float] = lambda: 0.0,
) -> Decision:
    return decide(error, standing=at or standing(), queue=queue, uniform=uniform)


def delay_s(decision: Decision) -> float:
    assert isinstance(decision, Wait)
    return decision.delay_s


@pytest.mark.parametrize(
    ("error", "decision"),
    [
        pytest.param(None, Done(), id="a handler that returns has done its job"),
        pytest.param(
            AlreadyHandled(), Done("already_applied"), id="a job done before is not done again"
        ),
        pytest.param(Withdrawn(), Done("withdrawn"), id="what nobody wants is over"),
        pytest.param(
            Retryable("503"), Wait(10.0, 2, 0, "503"), id="a passing failure costs an attempt"
        ),
        pytest.param(
            Retryable("gone", dependency="blobs"),
            Wait(1.0, 1, 1, "gone", pause="blobs"),
            id="a dependency that is away costs none and pauses the queue",
        ),
        pytest.param(
            Deferred("breaker open", after_s=30),
            Wait(30.0, 1, 1, "breaker open"),
            id="not now costs no attempt",
        ),
        pytest.param(
            Rejected("encrypted", "a password is needed"),
            DeadLetter("encrypted", "rejected"),
            id="what never works dies at once under its reason",
        ),
        pytest.param(
            Undecodable("not JSON"),
            DeadLetter("undecodable", "undecodable"),
            id="bytes that nobody can read die at once",
        ),
        pytest.param(
            Unacceptable("unknown_type"),
            DeadLetter("unknown_type", "rejected"),
            id="a type that nobody knows dies at once",
        ),
        pytest.param(
            Unacceptable("invalid_body"),
            DeadLetter("invalid_body", "rejected"),
            id="a body of the wrong shape dies at once",
        ),
        pytest.param(
            Unacceptable("unsupported_content_type"),
            DeadLetter("unsupported_content_type", "rejected"),
            id="a foreign content type dies at once",
        ),
        pytest.param(
            Unacceptable("unknown_version"),
            Wait(30.0, 1, 1, "newer version"),
            id="a newer version waits for somebody newer",
        ),
        pytest.param(
            Poisonous("started 3 times"),
            DeadLetter("poison", "poison"),
            id="what kills processes is taken out",
        ),
        pytest.param(KeyError("total"), DeadLetter("bug", "bug"), id="a missing key is a bug"),
        pytest.param(ValueError("no"), DeadLetter("bug", "bug"), id="a wrong value is a bug"),
        pytest.param(TimeoutError(), DeadLetter("bug", "bug"), id="a raw timeout is a bug"),
        pytest.param(
            ExceptionGroup("two", [Retryable("a"), Retryable("b")]),
            DeadLetter("bug", "bug"),
            id="a group of errors is nobody's decision",
        ),
    ],
)
def test_an_outcome_has_one_consequence(error: Exception | None, decision: Decision) -> None:
    assert fate(error) == decision


def test_a_retry_waits_ten_then_twenty_then_forty_seconds_then_dies() -> None:
    attempts = [fate(Retryable("503"), at=standing(attempt=n)) for n in range(1, 5)]

    assert attempts == [
        Wait(10.0, 2, 0, "503"),
        Wait(20.0, 3, 0, "503"),
        Wait(40.0, 4, 0, "503"),
        DeadLetter("attempts_exhausted", "exhausted"),
    ]


def test_an_attempt_beyond_the_last_is_not_tried_again() -> None:
    # A forged or long-lived envelope may claim any number.
    assert fate(Retryable("503"), at=standing(attempt=1_000_000)) == DeadLetter(
        "attempts_exhausted", "exhausted"
    )


@given(uniform=st.floats(0, 1), attempt=st.integers(1, 3), base_s=st.floats(0.1, 60))
def test_jitter_lengthens_a_retry_by_at_most_half(
    uniform: float, attempt: int, base_s: float
) -> None:
    queue = WorkQueue("bench.work", (ExtractDocumentV1,), slots=1, backoff_base_s=base_s)
    plain_s = base_s * 2 ** (attempt - 1)

    decision = fate(
        Retryable("503"), at=standing(attempt), queue=queue, uniform=lambda: uniform
    )

    assert plain_s <= delay_s(decision) <= plain_s * 1.5 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("after_s", "waits_s"),
    [
        pytest.param(90.0, 90.0, id="a longer hint is waited out"),
        pytest.param(3.0, 10.0, id="a shorter hint does not hurry us"),
        pytest.param(0.0, 10.0, id="a hint of nothing changes nothing"),
    ],
)
def test_the_hint_of_a_server_is_a_floor(after_s: float, waits_s: float) -> None:
    assert delay_s(fate(Retryable("429", after_s=after_s))) == waits_s


def test_a_retry_keeps_count_of_the_deferrals_before_it() -> None:
    decision = fate(Retryable("503"), at=standing(attempt=2, deferrals=7))

    assert decision == Wait(20.0, 3, 7, "503")


def test_deferrals_grow_by_half_up_to_five_minutes() -> None:
    waits = [
        delay_s(fate(Deferred("busy", after_s=1), at=standing(deferrals=count)))
        for count in (0, 1, 2, 5, 14, 15, 10_000)
    ]

    assert waits == pytest.approx([1, 1.5, 2.25, 7.59375, 291.929, 300, 300], abs=1e-3)


def test_a_deferral_that_will_soon_be_over_may_have_a_lower_cap() -> None:
    soon = Deferred("busy", after_s=1, at_most_s=30)

    waits = [
        delay_s(fate(soon, at=standing(deferrals=count))) for count in (0, 1, 8, 9, 10_000)
    ]

    assert waits == pytest.approx([1, 1.5, 25.629, 30, 30], abs=1e-3)


def test_no_deferral_asks_for_a_higher_cap_than_all_have() -> None:
    late = Deferred("busy", after_s=1, at_most_s=3600)

    assert delay_s(fate(late, at=standing(deferrals=100))) == 300


def test_what_asks_for_more_than_the_cap_gets_what_it_asks_for() -> None:
    decision = fate(Deferred("quota", after_s=7200), at=standing(deferrals=3))

    assert delay_s(decision) == 7200


@given(
    uniform=st.floats(0, 1), deferrals=st.integers(0, 10**9), after_s=st.floats(0.001, 86_400)
)
def test_a_deferral_is_never_early_and_a_tenth_late_at_most(
    uniform: float, deferrals: int, after_s: float
) -> None:
    decision = fate(
        Deferred("busy", after_s=after_s),
        at=standing(deferrals=deferrals),
        uniform=lambda: uniform,
    )

    assert after_s <= delay_s(decision) <= max(after_s, 300.0) * 1.1 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("waited_s", "decision"),
    [
        pytest.param(599.0, Wait(5.0, 1, 1, "busy"), id="a second before, it waits on"),
        pytest.param(600.0, DeadLetter("expired", "expired"), id="at the limit it expires"),
    ],
)
def test_only_the_patience_of_the_queue_bounds_deferrals(
    waited_s: float, decision: Decision
) -> None:
    assert fate(Deferred("busy", after_s=5), at=standing(waited_s=waited_s)) == decision


def test_a_thousand_deferrals_within_patience_are_fine() -> None:
    decision = fate(Deferred("busy", after_s=5), at=standing(deferrals=1000, waited_s=599))

    assert isinstance(decision, Wait)
    assert decision.deferrals == 1001


def test_patience_is_counted_from_the_first_wait_of_the_present_run() -> None:
    # A replay leaves `paperline-since` behind, so its waiting begins now.
    expired = fate(Deferred("busy", after_s=5), at=standing(attempt=3, waited_s=10**6))
    replayed = fate(Deferred("busy", after_s=5), at=standing(attempt=1, waited_s=0))

    assert expired == DeadLetter("expired", "expired")
    assert isinstance(replayed, Wait)


@pytest.mark.parametrize(
    ("queue", "hours"),
    [
        pytest.param(STORE, 24, id="most queues are patient for a day"),
        pytest.param(EXTRACT, 48, id="extraction is patient for two"),
    ],
)
def test_a_queue_has_the_patience_of_the_design(queue: WorkQueue, hours: int) -> None:
    busy = Deferred("busy", after_s=5)
    before = fate(busy, at=standing(waited_s=hours * HOUR_S - 1), queue=queue)
    reached = fate(busy, at=standing(waited_s=hours * HOUR_S), queue=queue)

    assert isinstance(before, Wait)
    assert reached == DeadLetter("expired", "expired")


@pytest.mark.parametrize(
    ("waited_s", "dies"),
    [
        pytest.param(HOUR_S - 1, False, id="within the hour of a deploy it waits"),
        pytest.param(HOUR_S, True, id="after an hour the deploy went wrong"),
    ],
)
def test_a_newer_version_waits_for_an_hour(waited_s: float, dies: bool) -> None:
    decision = fate(Unacceptable("unknown_version"), at=standing(waited_s=waited_s))

    assert (decision == DeadLetter("unknown_version", "rejected")) is dies


@pytest.mark.parametrize("attempt", [1, 4, 99])
def test_an_outage_burns_no_attempt_however_long_it_lasts(attempt: int) -> None:
    decision = fate(
        Retryable("away", dependency="postgres"),
        at=standing(attempt=attempt, deferrals=500, waited_s=10**7),
    )

    assert isinstance(decision, Wait)
    assert (decision.attempt, decision.pause) == (attempt, "postgres")


def test_an_outage_may_say_how_long_to_keep_away() -> None:
    assert delay_s(fate(Retryable("away", dependency="blobs", after_s=45))) == 45
