"""The audit log for those who only read it: a page, a proof, the whole of it.

What is exported can be proven without us: each line holds the text that was hashed, and the
last one is the head of the chain, so that a copy that was cut off is not taken for a whole one.
"""

import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from shared.audit import log
from shared.audit.chain import GENESIS, Broken, Entry, Line, Link, canonical, fault
from shared.audit.log import Filter
from shared.database.pool import Pool


@dataclass(frozen=True, slots=True)
class Proof:
    """How far the chain was followed, and what is wrong with it, if anything is."""

    head: Link
    broken: Broken | None


class AuditLog:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, wanted: Filter, *, before_seq: int | None, limit: int) -> list[Line]:
        """Newest first."""
        return await log.page(self._pool, wanted, before_seq=before_seq, limit=limit)

    async def head(self) -> Link:
        return await log.head(self._pool)

    async def prove(self, kept: Sequence[Link] = ()) -> Proof:
        """`kept` are links that were exported earlier, and must still stand."""
        head = await log.head(self._pool)
        return Proof(head, await log.verify(self._pool, kept=kept))

    async def export(self) -> AsyncGenerator[list[Line] | Link, None]:
        """All lines there are now, oldest first, in batches; then the head they lead to."""
        head, last = await log.head(self._pool), 0
        while last < head.seq:
            lines = await log.lines(self._pool, after_seq=last)
            if not lines:
                break
            # What is appended meanwhile belongs to the next export.
            yield [line for line in lines if line.seq <= head.seq]
            last = lines[-1].seq
        yield head


def written(lines: Iterable[Line]) -> bytes:
    """JSON Lines. The entry is the very text that was hashed."""
    return "".join(_written(line) for line in lines).encode()


def written_head(head: Link) -> bytes:
    told = {"head": {"seq": head.seq, "hash": head.hash.hex()}}
    return (json.dumps(told, separators=(",", ":")) + "\n").encode()


def check_export(texts: Iterable[str]) -> Broken | Link:
    """The head of an export that proves itself; otherwise what is wrong with it first."""
    last = Link(0, GENESIS)
    for text in texts:
        told = json.loads(text)
        if "head" in told:
            head = Link(told["head"]["seq"], bytes.fromhex(told["head"]["hash"]))
            return head if head == last else Broken(last.seq + 1, "missing")
        line = _read(told)
        if broken := fault(line, last):
            return broken
        last = Link(line.seq, line.hash)
    return Broken(last.seq + 1, "cut off before its head")


def _written(line: Line) -> str:
    at = line.at.astimezone(UTC).isoformat()
    ends = f'"previous":"{line.previous.hex()}","hash":"{line.hash.hex()}"'
    return f'{{"seq":{line.seq},"at":"{at}","entry":{line.text},{ends}}}\n'


def _read(told: dict[str, Any]) -> Line:
    # The text is made again as it was made to be hashed: another one has another hash.
    text = canonical(Entry(**told["entry"]))
    at = datetime.fromisoformat(told["at"])
    ends = bytes.fromhex(told["previous"]), bytes.fromhex(told["hash"])
    return Line(told["seq"], at, text, *ends)
