"""The model's stand-in as a part of a local stack: the extractor finds it, nobody else does."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from deploy.local import gemini_double, processes
from deploy.local.arguments import parser
from deploy.local.services import surroundings
from deploy.local.state import State


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path)
    state.create()
    yield state
    gemini_double.stop(state)


@pytest.mark.parametrize("command", ["up", "demo"])
def test_it_is_started_when_it_is_asked_for(command: str) -> None:
    assert parser().parse_args([command, "--gemini-double"]).gemini_double
    assert not parser().parse_args([command]).gemini_double


def test_while_it_runs_the_extractor_is_told_where(state: State) -> None:
    gemini_double.start(state, surroundings())

    told = gemini_double.variables(state)

    ledger = httpx.get(f"{told['GEMINI_BASE_URL']}/__double__/ledger", timeout=5).json()
    assert ledger["count"] == 0
    assert told["GEMINI_API_KEY"]


def test_started_again_it_is_the_same_one(state: State) -> None:
    gemini_double.start(state, surroundings())
    first = processes.running(state, gemini_double.COMPONENT)

    gemini_double.start(state, surroundings())

    assert processes.running(state, gemini_double.COMPONENT) == first


def test_without_it_nobody_is_pointed_anywhere(state: State) -> None:
    gemini_double.start(state, surroundings())
    gemini_double.stop(state)

    assert gemini_double.variables(state) == {}
