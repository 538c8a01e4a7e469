"""What a person, or a program, is told of a verification."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from deploy.verify.promises import PROMISES, State, Verdict

HOLDS, BROKEN, COULD_NOT_JUDGE = 0, 1, 2
MARKS = {
    State.HOLDS: "holds",
    State.BROKEN: "BROKEN",
    State.UNKNOWN: "CANNOT BE JUDGED",
    State.NOT_ASKED: "not asked",
}


def exit_code(verdicts: Sequence[Verdict]) -> int:
    states = {one.state for one in verdicts}
    if State.BROKEN in states:
        return BROKEN
    return COULD_NOT_JUDGE if State.UNKNOWN in states else HOLDS


def as_text(verdicts: Sequence[Verdict]) -> str:
    return "\n".join(line for one in verdicts for line in _lines(one)) + "\n" + _sum(verdicts)


def _lines(verdict: Verdict) -> list[str]:
    least = "at least " if verdict.cut else ""
    count = f": {least}{verdict.total}" if verdict.total else ""
    told = [f"{verdict.promise:<4}{MARKS[verdict.state]}{count} – {PROMISES[verdict.promise]}"]
    told += [f"      {one.subject}: {one.detail} ({one.check})" for one in verdict.offenders]
    if (more := verdict.total - len(verdict.offenders)) > 0:
        told.append(f"      and {more} more")
    return [*told, *(f"      ({one})" for one in verdict.notes)]


def _sum(verdicts: Sequence[Verdict]) -> str:
    counts = {state: sum(one.state is state for one in verdicts) for state in State}
    return ", ".join(f"{count} {state.value}" for state, count in counts.items() if count)


def as_json(verdicts: Sequence[Verdict]) -> str:
    told = [
        {**asdict(one), "state": one.state.value, "means": PROMISES[one.promise]}
        for one in verdicts
    ]
    return json.dumps({"exit_code": exit_code(verdicts), "promises": told}, indent=2)
