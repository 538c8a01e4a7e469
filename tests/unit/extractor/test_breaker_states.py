"""Where a breaker goes after a call, as pybreaker's states have it."""

import pytest

from services.extractor.adapters.breaker_states import next_state


@pytest.mark.parametrize("failures", range(4))
def test_before_the_threshold_failures_are_counted_and_no_more(failures: int) -> None:
    moved = next_state("closed", failures, failed=True, threshold=5)

    assert moved == ("closed", failures + 1)


def test_the_failure_at_the_threshold_opens_it() -> None:
    assert next_state("closed", 4, failed=True, threshold=5) == ("open", 5)


@pytest.mark.parametrize("failures", range(5))
def test_an_answer_forgives_what_failed_before(failures: int) -> None:
    assert next_state("closed", failures, failed=False, threshold=5) == ("closed", 0)


def test_one_answered_probe_closes_it_and_begins_anew() -> None:
    assert next_state("half-open", 5, failed=False, threshold=5) == ("closed", 0)


def test_one_failed_probe_opens_it_again() -> None:
    assert next_state("half-open", 0, failed=True, threshold=5)[0] == "open"
