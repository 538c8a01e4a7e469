"""`python -m tests.nemesis.results FILE > …`: what was survived, as a section of a page.

Every ordeal and every death writes its line into one file beside the servers of the tests, so
that seeds of several runs add up. `--sums` says the same in a few lines, for a terminal.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.broker.database import Servers
from tests.nemesis.verdict import Verdict
from tests.revision import revision

FILE = "under-fire.jsonl"
ORDEAL, DEATH, SOAK = "ordeals", "deaths at a step", "soaks"
INTRODUCTION = """## Under fire

What was done to whole stacks of real services while documents went through them, and what was
missing or there twice when everything had come to its end. An ordeal is minutes of troubles of
all kinds that follow from its seed; a death at a step is one process that was killed, failed or
held at an instant of its own code. A document has recovered when it ended well after something
had failed for it; a gap is the longest time in which none ended.

    ./paperline test nemesis --seeds 1-20
    ./paperline test crashes
    python -m tests.nemesis.results .paperline/test/under-fire.jsonl
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


def line(kind: str, name: str, faults: int, verdict: Verdict, took_s: float) -> Line:
    return Line(
        kind,
        name,
        faults,
        verdict.documents,
        len(verdict.lost),
        len(verdict.doubled),
        verdict.recovered,
        round(verdict.longest_gap.total_seconds(), 1),
        round(took_s, 1),
        revision(),
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


HEADS = ("", "runs", "faults", "documents", "lost", "doubled", "recovered", "longest gap")


def sums(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """A row for each kind, and one for all of them."""
    kinds = [kind for kind in (ORDEAL, DEATH, SOAK) if any(one.kind == kind for one in lines)]
    rows = [_summed(kind, [one for one in lines if one.kind == kind]) for kind in kinds]
    return [*rows, _summed("all", lines)] if len(rows) > 1 else rows


def _summed(name: str, lines: Sequence[Line]) -> tuple[str, ...]:
    counted = ("faults", "documents", "lost", "doubled", "recovered")
    counts = [str(sum(getattr(one, what) for one in lines)) for what in counted]
    longest = max((one.longest_gap_s for one in lines), default=0.0)
    return name, str(len(lines)), *counts, f"{longest:.1f} s"


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
        own = ("seed", "faults", "documents", "lost", "doubled", "recovered", "longest gap")
        rows = [
            (
                *(one.name, str(one.faults), str(one.documents), str(one.lost)),
                *(str(one.doubled), str(one.recovered), f"{one.longest_gap_s:.1f} s"),
            )
            for one in seeds
        ]
        parts += ["", "### Seed by seed", "", *_table([own, *rows])]
    commits = sorted({one.commit for one in lines})
    return "\n".join([*parts, "", f"Of {', '.join(commits)}."])


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
