"""An audit log in memory, chained like the real one, of whatever was recorded in a trail."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from shared.audit.chain import GENESIS, Broken, Entry, Line, Link, canonical, fault, hash_of
from shared.audit.log import Filter
from shared.audit.reader import Proof

BEGAN = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


class InMemoryAuditLog:
    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        # The trail's own list: what is recorded later is read here.
        self._entries = entries
        # By number: what somebody with more rights made of a line.
        self.altered: dict[int, Entry] = {}

    async def page(self, wanted: Filter, *, before_seq: int | None, limit: int) -> list[Line]:
        found = [
            line
            for line in reversed(self._lines())
            if _passes(line.entry(), wanted) and (before_seq is None or line.seq < before_seq)
        ]
        return found[:limit]

    async def prove(self, kept: Sequence[Link] = ()) -> Proof:
        lines, last = self._lines(), Link(0, GENESIS)
        head = Link(lines[-1].seq, lines[-1].hash) if lines else last
        expected = {link.seq: link.hash for link in kept}
        for line in lines:
            broken = fault(line, last)
            if broken is None and expected.get(line.seq, line.hash) != line.hash:
                broken = Broken(line.seq, "not the line that was exported")
            if broken is not None:
                return Proof(head, broken)
            last = Link(line.seq, line.hash)
        if last.seq < max([0, *expected]):
            return Proof(head, Broken(last.seq + 1, "missing"))
        return Proof(head, None)

    async def export(self) -> AsyncIterator[list[Line] | Link]:
        lines = self._lines()
        if lines:
            yield lines
        yield Link(lines[-1].seq, lines[-1].hash) if lines else Link(0, GENESIS)

    def _lines(self) -> list[Line]:
        lines, previous = [], GENESIS
        for seq, entry in enumerate(self._entries, start=1):
            at = BEGAN + timedelta(seconds=seq)
            line = Line(seq, at, canonical(entry), previous, b"")
            line = replace(line, hash=hash_of(line))
            previous = line.hash
            if seq in self.altered:
                line = replace(line, text=canonical(self.altered[seq]))
            lines.append(line)
        return lines


def _passes(entry: Entry, wanted: Filter) -> bool:
    return all(
        asked in (None, found)
        for asked, found in (
            (wanted.actor, entry.actor),
            (wanted.action, entry.action),
            (wanted.resource, entry.resource),
        )
    )
