"""`python -m tests.nemesis.results FILE > …`: what was survived, as a section of a page.

Every ordeal and every death writes its line into one file beside the servers of the tests, so
that seeds of several runs add up. `--sums` says the same in a few lines, for a terminal.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.broker.database import Servers
from tests.nemesis.met import met_nobody, together

FILE = "under-fire.jsonl"
ORDEAL, DEATH, SOAK = "ordeals", "deaths at a step", "soaks"
NODES, CUTS = "deaths of a cluster's nodes", "cuts of a cluster's network"
INTRODUCTION = """## Under fire

What was done to whole stacks of real services while documents went through them, and what was
missing or there twice when everything had come to its end. An ordeal is minutes of troubles of
all kinds that follow from its seed; a death at a step is one process that was killed, failed or
held at an instant of its own code.

A fault has missed when there was nobody to strike, and is late when others had lasted so long
that nobody handed in any more. Lost is also what had not ended when its run failed; a document
is wronged that was given up for a reason which no fault may cause, has recovered when it ended
well after something had failed for it, and was repaired when the sweeper had to order it again.
An answer of the provider is excused that was paid for once more, since who held it died, or the
way to its place was cut, at that moment. A gap is the longest time in which none ended. At rest
is a system in which all that was promised has ended, counted from the moment when all was
whole again and nobody began to hand in any more, and a minute is allowed. Waiting is what had
not ended at that moment. The throughput is that of the same burst of documents after an ordeal
and before it.

    ./paperline test nemesis --seeds 1-20
    ./paperline test crashes
    ./paperline test brokers --on machine --part cluster --part cuts
    python -m tests.nemesis.results .paperline/{test,brokers/*/test}/under-fire.jsonl
"""


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    # A seed, or what died how.
    name: str
    faults: int
    documents: int
    lost: int
    doubled: int
    recovered: int
    longest_gap_s: float
    took_s: float
    commit: str
    at: float = field(default_factory=time.time)
    wronged: int = 0
    missed: int = 0
    late: int = 0
    repaired: int = 0
    excused: int = 0
    # What had not ended when all was whole again.
    waiting: int = 0
    # How often each trouble struck each target, missed it, or came too late.
    met: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    left_out: str = ""
    rest_s: float | None = None
    throughput: float | None = None
    # Why; empty when it did not fail.
    failure: str = ""

    @property
    def remark(self) -> str:
        left_out = f"without {self.left_out}" if self.left_out else ""
        failed = f"FAILED: {self.failure}" if self.failure else ""
        return "; ".join(one for one in (failed, left_out) if one)

    def __str__(self) -> str:
        return ", ".join(
            one
            for one in (
                f"{self.name}: {self.faults} faults",
                f"{self.missed} missed",
                f"{self.late} too late",
                f"{self.documents} documents",
                f"{self.lost} lost",
                f"{self.doubled} doubled",
                f"{self.wronged} wronged",
                f"{self.recovered} recovered",
                f"{self.repaired} repaired",
                f"{self.excused} paid for twice",
                f"longest gap {self.longest_gap_s:.1f} s",
                f"at rest after {_seconds(self.rest_s)} with {self.waiting} waiting",
                f"throughput {_share(self.throughput)}",
                self.remark,
            )
            if one
        )


def note(one: Line) -> None:
    """Without servers of their own, tests keep no book either."""
    state = Servers().state
    if state is None:
        return
    written = json.dumps(asdict(one)) + "\n"
    # One write to a file opened for appending: lines of several writers never mix.
    file = os.open(Path(state) / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, written.encode())
    finally:
        os.close(file)


def read(paths: Sequence[Path], *, since: float = 0.0) -> list[Line]:
    texts = [path.read_text() for path in paths if path.exists()]
    found = [Line(**json.loads(one)) for text in texts for one in text.splitlines()]
    return [one for one in found if one.at >= since]


COUNTED = (
    *("faults", "missed", "late", "documents", "lost", "doubled", "wronged", "recovered"),
    *("repaired", "excused", "waiting"),
)
HEADS = ("", "runs", "failed", *COUNTED, "longest gap", "at rest after")
OWN = ("seed", "day", *COUNTED, "longest gap", "at rest after", "throughput", "")


def sums(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """A row for each kind, and one for all of them."""
    kinds = [
        kind
        for kind in (ORDEAL, DEATH, SOAK, NODES, CUTS)
        if any(one.kind == kind for one in lines)
    ]
    rows = [_summed(kind, [one for one in lines if one.kind == kind]) for kind in kinds]
    return [*rows, _summed("all", lines)] if len(rows) > 1 else rows


def _summed(name: str, lines: Sequence[Line]) -> tuple[str, ...]:
    failed = sum(bool(one.failure) for one in lines)
    counts = [str(sum(getattr(one, what) for one in lines)) for what in COUNTED]
    longest = max((one.longest_gap_s for one in lines), default=0.0)
    rests = [one.rest_s for one in lines if one.rest_s is not None]
    ends = (f"{longest:.1f} s", _seconds(max(rests, default=None)))
    return name, str(len(lines)), str(failed), *counts, *ends


def _of_a_seed(one: Line) -> tuple[str, ...]:
    counts = (str(getattr(one, what)) for what in COUNTED)
    times = (f"{one.longest_gap_s:.1f} s", _seconds(one.rest_s), _share(one.throughput))
    return one.name, _day(one), *counts, *times, one.remark


def _seconds(given: float | None) -> str:
    return "–" if given is None else f"{given:.1f} s"


def _share(given: float | None) -> str:
    return "–" if given is None else f"{given:.0%}"


def _day(one: Line) -> str:
    return f"{datetime.fromtimestamp(one.at, UTC):%Y-%m-%d}"


def in_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]


def page(lines: Sequence[Line]) -> str:
    seeds = [one for one in lines if one.kind == ORDEAL]
    parts = [INTRODUCTION, *_table([HEADS, *sums(lines)])]
    if seeds:
        rows = [_of_a_seed(one) for one in seeds]
        parts += ["", "### Seed by seed", "", *_table([OWN, *rows])]
    told = [one.met for one in seeds if one.met]
    if nobody := met_nobody(together(told)) if told else []:
        parts += ["", "### What met nobody", "", *(f"- {one}" for one in nobody)]
    failed = [f"- {one.name}: {one.failure}" for one in lines if one.failure]
    if failed:
        parts += ["", "### What failed", "", *failed]
    commits, days = ({what(one) for one in lines} for what in (_commit, _day))
    on = " to ".join(dict.fromkeys([min(days), max(days)])) if days else ""
    return "\n".join([*parts, "", f"Of {', '.join(sorted(commits))}, on {on}."])


def _commit(one: Line) -> str:
    return one.commit


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    rule = "|".join(["---", *("---:" for _ in rows[0][1:])])
    return [head, f"|{rule}|", *others]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.nemesis.results")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--since", type=float, default=0.0, help="seconds since the epoch")
    parser.add_argument("--sums", action="store_true", help="a few lines for a terminal")
    told = parser.parse_args()
    lines = read(told.files, since=told.since)
    if told.sums:
        print("\n".join(in_columns([HEADS, *sums(lines)])) if lines else "")  # noqa: T201
    else:
        print(page(lines))  # noqa: T201


if __name__ == "__main__":
    main()
