"""A run's line in the book, which is written however the run ends.

Whoever fails in the middle has lost what has not ended by then: without its line the table
would have one run less and nothing lost.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg

from tests.nemesis.met import Meetings
from tests.nemesis.results import Line, note
from tests.nemesis.verdict import Promised, Verdict, nothing_known
from tests.revision import revision

CHARS_MAX = 200


@dataclass(slots=True)
class Entry:
    """What is to be said of a run, as far as it has come."""

    kind: str
    name: str
    faults: int = 0
    # Faults that found nobody whom they could strike.
    missed: int = 0
    # Planned for a moment when nobody handed in any more.
    late: int = 0
    met: Meetings = field(default_factory=Meetings)
    # Documents that the sweeper had to order again, and answers of the provider that were paid
    # for twice since somebody who held one died.
    repaired: int = 0
    excused: int = 0
    # What had not ended when all was whole again.
    waiting: int = 0
    # What there is not on this machine, so that none of its faults was tried.
    left_out: set[str] = field(default_factory=set)
    # From the moment when all was whole again to the one when nothing was left to do.
    rest_s: float | None = None
    # Afterwards, as a share of before.
    throughput: float | None = None
    verdict: Verdict | None = None
    failure: str = ""
    line: Line | None = None


@asynccontextmanager
async def entered(
    entry: Entry, by: Promised, judge: Callable[[], Awaitable[Verdict]]
) -> AsyncIterator[None]:
    began = time.monotonic()
    try:
        yield
    except BaseException as error:
        entry.failure = in_short(error)
        raise
    finally:
        took_s = time.monotonic() - began
        verdict = entry.verdict or await _as_it_is(by, judge)
        entry.line = _line(entry, verdict, took_s)
        note(entry.line)


def _line(entry: Entry, verdict: Verdict, took_s: float) -> Line:
    return Line(
        kind=entry.kind,
        name=entry.name,
        faults=entry.faults,
        missed=entry.missed,
        late=entry.late,
        repaired=entry.repaired,
        excused=entry.excused,
        waiting=entry.waiting,
        met=entry.met.told(),
        documents=verdict.documents,
        lost=len(verdict.lost),
        doubled=len(verdict.doubled),
        wronged=len(verdict.wronged),
        recovered=verdict.recovered,
        longest_gap_s=round(verdict.longest_gap.total_seconds(), 1),
        took_s=round(took_s, 1),
        commit=revision(),
        left_out=", ".join(sorted(entry.left_out)),
        rest_s=entry.rest_s,
        throughput=entry.throughput,
        failure=entry.failure,
    )


async def _as_it_is(by: Promised, judge: Callable[[], Awaitable[Verdict]]) -> Verdict:
    try:
        return await judge()
    except (OSError, asyncpg.PostgresError, TimeoutError) as error:
        return nothing_known(by, f"the books cannot be read: {in_short(error)}")


def in_short(error: BaseException) -> str:
    """Of a group, what the first of them says."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}"[:CHARS_MAX]
