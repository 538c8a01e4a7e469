"""What a benchmark says: a table for people, a file for machines, and a line per goal.

A goal is told and never asserted: a busy machine is no reason for a failing build, and a
ratio that slowly gets worse is seen by whoever compares two files.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import ge, le
from pathlib import Path
from typing import Any, Literal

from pydantic_settings import BaseSettings, SettingsConfigDict

from deploy.local.state import State, state_at, write_json
from shared.clock import WallClock
from tests.broker.database import Servers
from tests.revision import revision

OPERATORS = {"<=": le, ">=": ge}


class _Given(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="PAPERLINE_")

    state: str | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    # The number in the table of goals, then what is measured: `P2 relay_vs_raw_bulk`.
    key: str
    value: float
    op: Literal["<=", ">="]
    goal: float

    @property
    def met(self) -> bool:
        return bool(OPERATORS[self.op](self.value, self.goal))

    def __str__(self) -> str:
        met = "met" if self.met else "NOT met"
        return f"{self.key} {self.value:.2f} (goal {self.op} {self.goal:g}) {met}"

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "value": round(self.value, 4),
            "op": self.op,
            "goal": self.goal,
            "met": self.met,
        }


def say(text: str = "") -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column is text, the others are numbers."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for first, *others in lines:
        numbers = (text.rjust(width) for text, width in zip(others, widths[1:], strict=True))
        say("  ".join((first.ljust(widths[0]), *numbers)))


def folder() -> Path:
    """`<state folder>/bench`, made when it is missing."""
    servers = Servers().state
    # The servers of a test live in the folder `test` of the state they belong to.
    beside = State(Path(servers).parent) if servers else state_at(None)
    given = _Given().state
    chosen = (state_at(given) if given else beside).root / "bench"
    chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
    return chosen


def conclude(name: str, figures: dict[str, Any], goals: Sequence[Goal]) -> None:
    """Write the file, then the goals: they are the last thing seen."""
    content = {
        "name": name,
        "commit": revision(),
        "at": WallClock().now().isoformat(timespec="seconds"),
        # As they were given; what was left out is what the commit says.
        "options": sys.argv[1:],
        "figures": figures,
        "goals": [goal.as_json() for goal in goals],
    }
    write_json(folder() / f"{name}.json", content)
    for goal in goals:
        say(str(goal))
