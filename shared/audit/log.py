"""The audit log of a service: appended to in the transaction of the deed, and verified.

A deed without its line, or a line without its deed, would both be lies; so there is no way to
append outside the caller's transaction. The trigger numbers and chains the lines; it makes
writers take turns until they commit, so append last and commit at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.audit.chain import GENESIS, Broken, Entry, Line, Link, canonical, fault
from shared.database.pool import Connection, Pool, Row
from shared.database.statements import statement

APPEND = statement(__file__, "append")
FREEZE = statement(__file__, "freeze")
HEAD = statement(__file__, "head")
LINES = statement(__file__, "lines")
PAGE = statement(__file__, "page")

VERIFY_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Filter:
    """None takes everything."""

    actor: str | None = None
    action: str | None = None
    resource: str | None = None


async def append(connection: Connection, *entries: Entry) -> None:
    """The lines exist when the caller's transaction commits, and then in this order."""
    if entries:
        await connection.execute(APPEND, [canonical(entry) for entry in entries])


async def head(pool: Pool) -> Link:
    """The newest link, to be kept where whoever can rewrite the table cannot."""
    return _link(await pool.fetchrow(HEAD))


async def page(
    pool: Pool, wanted: Filter, *, before_seq: int | None = None, limit: int = 100
) -> list[Line]:
    """Newest first; the last one's `seq` is the cursor of the next page."""
    rows = await pool.fetch(
        PAGE, wanted.actor, wanted.action, wanted.resource, before_seq, limit
    )
    return [_line(row) for row in rows]


async def lines(pool: Pool, *, after_seq: int, limit: int = VERIFY_BATCH) -> list[Line]:
    """Oldest first, behind a place in the chain."""
    return [_line(row) for row in await pool.fetch(LINES, after_seq, limit)]


async def verify(pool: Pool, *, kept: Sequence[Link] = ()) -> Broken | None:
    """The first broken link, or None. `kept` are links that were exported earlier."""
    expected = {link.seq: link.hash for link in kept}
    async with pool.transaction() as connection:
        # One snapshot: lines that are appended meanwhile are neither missing nor too many.
        await connection.execute(FREEZE)
        newest = _link(await connection.fetchrow(HEAD))
        last = Link(0, GENESIS)
        while rows := await connection.fetch(LINES, last.seq, VERIFY_BATCH):
            last, broken = _follow(last, map(_line, rows), expected)
            if broken is not None:
                return broken
    return _end(last, newest, expected)


def _follow(
    last: Link, lines: Iterable[Line], expected: dict[int, bytes]
) -> tuple[Link, Broken | None]:
    for line in lines:
        broken = fault(line, last)
        if broken is None and expected.get(line.seq, line.hash) != line.hash:
            broken = Broken(line.seq, "not the line that was exported")
        if broken is not None:
            return last, broken
        last = Link(line.seq, line.hash)
    return last, None


def _end(last: Link, newest: Link, expected: dict[int, bytes]) -> Broken | None:
    if last.seq < max([newest.seq, *expected]):
        return Broken(last.seq + 1, "missing")
    if last != newest:
        return Broken(last.seq, "not the head of the chain")
    return None


def _line(row: Row) -> Line:
    return Line(row["seq"], row["at"], row["entry"], row["previous"], row["hash"])


def _link(row: Row | None) -> Link:
    if row is None:
        return Link(0, b"the head of the chain is gone")
    return Link(row["seq"], row["hash"])
