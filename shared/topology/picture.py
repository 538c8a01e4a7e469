"""The table of queues as a picture (SVG), so that the picture cannot show a queue that is not.

Exchanges stand on the left, work queues in the frame of the service that takes from them, and a
line is a binding by which a message comes the first time; each queue is also bound to `jobs`
under its own name, for what is replayed, and to the ladder, for what waited.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from shared.contracts.body import Body, Fact
from shared.topology.ladder import RUNGS
from shared.topology.queues import (
    DEAD,
    EVENTS,
    INGEST,
    JOBS,
    SUBMIT,
    UNROUTABLE,
    WORK_QUEUES,
    WorkQueue,
)

WIDTH, MARGIN = 920, 20
ROW, GAP, HEAD = 34, 26, 26
EXCHANGE_WIDTH, QUEUES_LEFT, QUEUE_WIDTH = 175, 330, 540
NAMED_MAX = 2
SERVICES = ("ingest", "extractor", "storage", "review", "monitor")
STYLE = """
  .ground { fill: #fff; } .frame { fill: #f5f6f8; stroke: #8a94a6; }
  .box { fill: #fff; stroke: #566173; }
  text { fill: #1b2330; font: 13px system-ui, sans-serif; }
  .name { font: 13px ui-monospace, monospace; } .head { font-weight: 700; }
  .more { fill: #566173; font-size: 12px; }
  path { fill: none; stroke-width: 1.5; }
  .ingest { stroke: #a03c00; stroke-width: 2.5; } .jobs { stroke: #1f5fbf; }
  .events { stroke: #2c7a3f; stroke-dasharray: 5 3; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #12161c; } .frame { fill: #1b212a; }
    .box { fill: #12161c; stroke: #a3afc0; }
    text { fill: #e8ecf2; } .more { fill: #a3afc0; }
    .ingest { stroke: #ff9d5c; } .jobs { stroke: #7fb0ff; } .events { stroke: #6fcf85; }
  }
"""
DOORS = {
    INGEST: "from programs outside",
    JOBS: "orders and replays",
    EVENTS: "facts, by their type",
}


@dataclass(frozen=True, slots=True)
class Placed:
    queue: WorkQueue
    top: int

    @property
    def middle(self) -> int:
        return self.top + ROW // 2 - 3


def picture(queues: Sequence[WorkQueue] = WORK_QUEUES) -> str:
    places, frames, bottom = _places(queues)
    doors = _doors(places)
    parts = [
        # What is drawn first lies below.
        *frames,
        *(_line(one, doors) for one in places),
        *(_door(name, top, told) for name, top, told in doors),
        *(_queue(one) for one in places),
        *_notes(len(queues), bottom),
    ]
    height = bottom + 4 * 20 + MARGIN
    lines = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'role="img" aria-labelledby="title desc">\n'
        '<title id="title">Paperline\'s exchanges, queues and services</title>\n'
        f'<desc id="desc">{escape(described(queues))}</desc>\n'
        f"<style>{STYLE}</style>\n"
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n{lines}\n</svg>\n'
    )


def described(queues: Sequence[WorkQueue]) -> str:
    """The same in words, for whoever does not see it."""
    told = []
    for service in SERVICES:
        names = ", ".join(one.name for one in queues if one.service == service)
        told.append(f"{service} takes from {names}")
    return (
        f"Programs outside publish to {INGEST}; services publish orders to {JOBS} and facts to "
        f"{EVENTS}. {'; '.join(told)}. What is given up goes by {DEAD} to a dead queue for "
        "each of them, which the monitor drains."
    )


def _places(queues: Sequence[WorkQueue]) -> tuple[list[Placed], list[str], int]:
    places, frames, top = list[Placed](), list[str](), MARGIN
    for service in SERVICES:
        mine = [one for one in queues if one.service == service]
        height = HEAD + ROW * len(mine) + 6
        frames.append(
            f'<rect class="frame" x="{QUEUES_LEFT}" y="{top}" rx="6" '
            f'width="{WIDTH - MARGIN - QUEUES_LEFT}" height="{height}"/>'
            f'<text class="head" x="{QUEUES_LEFT + 14}" y="{top + 18}">{service}</text>'
        )
        places += [Placed(one, top + HEAD + ROW * nth) for nth, one in enumerate(mine)]
        top += height + GAP
    return places, frames, top


def _doors(places: Sequence[Placed]) -> list[tuple[str, int, str]]:
    """In the middle of what each reaches, as far as they leave each other room."""
    found, free = list[tuple[str, int, str]](), MARGIN
    for name, told in DOORS.items():
        reached = [one.middle for one in places if name in _sources(one.queue)]
        middle = sum(reached) // len(reached) if reached else free
        top = max(free, middle - 25)
        found.append((name, top, told))
        free = top + 50 + GAP
    return found


def _sources(queue: WorkQueue) -> set[str]:
    if queue == SUBMIT:
        return {INGEST}
    return {EVENTS if issubclass(one, Fact) else JOBS for one in queue.takes}


def _line(one: Placed, doors: Sequence[tuple[str, int, str]]) -> str:
    begins, ends = MARGIN + EXCHANGE_WIDTH, QUEUES_LEFT + 14
    curves = (
        f'<path class="{name}" d="M{begins} {top + 25} C{begins + 90} {top + 25} '
        f'{ends - 90} {one.middle} {ends} {one.middle}"/>'
        for name, top, _ in doors
        if name in _sources(one.queue)
    )
    return "".join(curves)


def _door(name: str, top: int, told: str) -> str:
    return (
        f'<rect class="box" x="{MARGIN}" y="{top}" rx="25" width="{EXCHANGE_WIDTH}" '
        'height="50"/>'
        f'<text class="name head" x="{MARGIN + 16}" y="{top + 21}">{escape(name)}</text>'
        f'<text class="more" x="{MARGIN + 16}" y="{top + 38}">{escape(told)}</text>'
    )


def _queue(one: Placed) -> str:
    return (
        f'<rect class="box" x="{QUEUES_LEFT + 14}" y="{one.top}" rx="3" width="{QUEUE_WIDTH}" '
        f'height="{ROW - 6}"/>'
        f'<text class="name" x="{QUEUES_LEFT + 24}" y="{one.top + 19}">{one.queue.name}</text>'
        f'<text class="more" x="{QUEUES_LEFT + 190}" y="{one.top + 19}">'
        f"{escape(_takes(one.queue.takes))}</text>"
    )


def _takes(bodies: Sequence[type[Body]]) -> str:
    if len(bodies) <= NAMED_MAX:
        return ", ".join(body.type for body in bodies)
    return f"{len(bodies)} kinds of facts"


def _notes(queues: int, bottom: int) -> Iterator[str]:
    notes = (
        "What a service sends leaves with its commit: outbox, relay, then jobs and events.",
        f"{DEAD}: {queues} queues, one for each above, with .dead behind the name; monitor "
        "drains and replays them.",
        f"delay.{RUNGS - 1:02} … delay.00: {RUNGS} queues, 0.25 s doubled; what waits goes "
        "down them and back to its queue.",
        f"{UNROUTABLE}: what arrived nowhere; drained like a dead queue, and alerts.",
    )
    for nth, note in enumerate(notes):
        top = bottom + 10 + 20 * nth
        yield f'<text class="more" x="{MARGIN}" y="{top}">{escape(note)}</text>'
