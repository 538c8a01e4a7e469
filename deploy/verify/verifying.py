"""One verification from beginning to end: all checks, over as many looks as it takes."""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass, replace

from deploy.verify.checking import CHECKS
from deploy.verify.looking import Orders, Sources, judge
from deploy.verify.promises import CannotJudge, Verdict, verdicts
from deploy.verify.report import COULD_NOT_JUDGE, as_json, as_text, exit_code

OFFENDERS_MAX = 20
# Whoever is in the middle of something has moved on by then.
LIVE_PAUSES = (15.0,)
# At rest little is left to wait for: a broker that tells of a moment ago, a repair that is due.
REST_PAUSES = (1.0, 4.0, 5.0, 10.0, 10.0)
SAID_AFTER_S = 2.0


@dataclass(slots=True)
class Progress:
    """Says what is being looked at, once that takes its time."""

    began_at: float

    def __call__(self, what: str) -> None:
        seconds = time.monotonic() - self.began_at
        if seconds > SAID_AFTER_S:
            print(f"  … {what} ({seconds:.0f} s)", file=sys.stderr, flush=True)


def orders_for(
    *, at_rest: bool, deep: bool, repairs_allowed: int | None = None, say: bool = True
) -> Orders:
    pauses = REST_PAUSES if at_rest else LIVE_PAUSES
    orders = Orders(at_rest, deep, repairs_allowed, pauses)
    return replace(orders, say=Progress(time.monotonic())) if say else orders


async def verify(
    sources: Sources, orders: Orders, *, offenders_max: int = OFFENDERS_MAX
) -> list[Verdict]:
    """Raises CannotJudge when there is no database to look at."""
    findings = await judge(CHECKS, sources, orders)
    excuses = sources.history.excuses() if sources.history else []
    return verdicts(findings, excuses, offenders_max)


def run(sources: Sources, given: argparse.Namespace) -> int:
    """What a command does: says what was found, and answers with its exit code."""
    orders = orders_for(
        at_rest=given.quiescent, deep=given.deep, repairs_allowed=given.repairs_allowed
    )
    try:
        found = asyncio.run(verify(sources, orders))
    except CannotJudge as error:
        print(f"cannot judge: {error}", file=sys.stderr)
        return COULD_NOT_JUDGE
    print(as_json(found) if given.json else as_text(found))
    return exit_code(found)
