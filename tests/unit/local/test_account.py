"""Servers that keep their data outside the state folder, because they may not enter it."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

from deploy.local.account import forget_a_deleted_stack
from deploy.local.state import State

TRIES = 50


def test_what_a_deleted_stack_left_is_forgotten_once(tmp_path: Path) -> None:
    state, elsewhere = a_new_stack(tmp_path, "one")
    (elsewhere / "postgres").mkdir(parents=True)

    forget_a_deleted_stack(state, elsewhere)
    (elsewhere / "rabbitmq").mkdir()
    forget_a_deleted_stack(state, elsewhere)

    assert [one.name for one in elsewhere.iterdir()] == ["rabbitmq"]


def test_two_servers_that_start_at_once_do_not_forget_each_other(tmp_path: Path) -> None:
    for number in range(TRIES):
        state, elsewhere = a_new_stack(tmp_path, str(number))
        begin = Barrier(2)

        with ThreadPoolExecutor(2) as pool:
            starts = [
                pool.submit(partial(start, state, elsewhere, name, begin))
                for name in ("postgres", "rabbitmq")
            ]

        assert [one.result() for one in starts] == [None, None]
        assert sorted(one.name for one in elsewhere.iterdir()) == ["postgres", "rabbitmq"]


def a_new_stack(folder: Path, name: str) -> tuple[State, Path]:
    state = State(folder / name)
    state.create()
    return state, folder / f"elsewhere-{name}"


def start(state: State, elsewhere: Path, name: str, begin: Barrier) -> None:
    begin.wait()
    forget_a_deleted_stack(state, elsewhere)
    (elsewhere / name).mkdir()
