"""Does the object store hold what the tables say, and nothing else for long?

Keys and objects are read side by side in one order. What the tables name and the store has not
is lost; what the store has and nobody names is left over, which a killed writer may do for as
long as collecting it takes.
"""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass

from deploy.verify.database import Row
from deploy.verify.looking import Check, Look, Notes
from deploy.verify.objects import Lying, Objects
from deploy.verify.promises import CannotJudge, NotGiven

# Where results and contents lie; a template may have put the dated ones elsewhere.
CONTENTS = "sha256/"
RESULTS = "data/versions/"
MERGED = "data/compacted/"
# Those who collect what was left over come by within a day, and look twice.
LEFT_OVER_S = 48 * 3600.0


@dataclass(slots=True)
class Count:
    named: int = 0
    left_over: int = 0


async def contents(look: Look, notes: Notes) -> None:
    """What clients were told is kept."""
    count = await _compare(look, notes, "named_contents", (CONTENTS,))
    notes.note = f"{count.named} contents"


async def results(look: Look, notes: Notes) -> None:
    """What was made of it: extractions, versions, dated files, what a person decided."""
    roots = [row["root"] for row in await look.snapshot.fetch("roots_of_results")]
    count = await _compare(look, notes, "named_results", tuple(roots))
    notes.note = f"{count.named} files of results, {count.left_over} that nobody names"


async def rewritten(look: Look, notes: Notes) -> None:
    """A version stays what it was when it was kept; read only when every byte is."""
    objects, count = _objects(look), 0
    if not look.orders.deep:
        return
    async with aclosing(look.snapshot.stream("digests_of_versions")) as rows:
        async for row in rows:
            # What is not there at all is told by `results`.
            if objects.digest(row["key"]) not in (None, row["sha256"]):
                told = f"{row['key']}: other bytes than were kept"
                notes.add(row["subject"], told, row["mark"])
            count += 1
    notes.note = f"{count} files of versions read"


async def merged_days(look: Look, notes: Notes) -> None:
    """The one file of a day: all there is of it once the files by document were pruned."""
    count = await _compare(look, notes, "merged_days", (MERGED,))
    notes.note = f"{count.named} merged days"


async def left_over(look: Look, notes: Notes) -> None:
    """A version's file without its row stays no longer than collecting it takes."""
    objects, before = _objects(look), time.time() - LEFT_OVER_S
    async with aclosing(look.snapshot.stream("named_results", RESULTS)) as rows:
        named = _Named(rows)
        for lying in objects.list(RESULTS):
            if lying.changed_at < before and await named.up_to(lying.key) is None:
                notes.add(lying.key, "no row names it, and it was not collected", lying.key)


async def _compare(look: Look, notes: Notes, name: str, roots: tuple[str, ...]) -> Count:
    objects, count = _objects(look), Count()
    for root in roots:
        listing = _Listing(objects.list(root))
        async with aclosing(look.snapshot.stream(name, root)) as rows:
            async for row in rows:
                count.named += 1
                if count.named % 100_000 == 0:
                    look.orders.say(f"{count.named} keys compared")
                fault = _fault(row, listing.up_to(row["key"]), objects, deep=look.orders.deep)
                if fault:
                    told = f"{row['what']} {row['key']}: {fault}"
                    notes.add(row["subject"], told, row["mark"])
        count.left_over += listing.passed
    return count


def _fault(row: Row, lying: Lying | None, objects: Objects, *, deep: bool) -> str:
    if lying is None:
        return "missing"
    if row["size"] is not None and lying.size != row["size"]:
        return f"{lying.size} bytes, not {row['size']}"
    if (documents := row.get("documents")) not in (None, row.get("rows")):
        return f"holds {row['rows']} documents of {documents}"
    if not deep:
        return ""
    wanted = row["sha256"]
    if row["same_as"] is not None:
        wanted = objects.digest(row["same_as"])
    if wanted is None or objects.digest(row["key"]) == wanted:
        return ""
    return "other bytes than were kept"


def _objects(look: Look) -> Objects:
    if look.sources.objects is None:
        raise NotGiven("the object store")
    return look.sources.objects


class _Listing:
    """The store's side: goes on to a key, and counts what it passes."""

    def __init__(self, found: Iterator[Lying]) -> None:
        self._found = found
        self._next: Lying | None = None
        self._last: Lying | None = None
        self.passed = 0

    def up_to(self, key: str) -> Lying | None:
        if self._last is not None and self._last.key == key:
            # Several documents name one content.
            return self._last
        wanted = key.encode()
        while (one := self._peek()) is not None and one.key.encode() < wanted:
            self._next = None
            self.passed += 1
        if one is None or one.key != key:
            return None
        self._next, self._last = None, one
        return one

    def _peek(self) -> Lying | None:
        if self._next is None:
            try:
                self._next = next(self._found, None)
            except OSError as error:
                raise CannotJudge(f"the object store does not answer: {error}") from error
        return self._next


class _Named:
    """The tables' side: goes on to a key, and says whether it is there."""

    def __init__(self, rows: AsyncIterator[Row]) -> None:
        self._rows = rows
        self._row: Row | None = None
        self._ended = False

    async def up_to(self, key: str) -> Row | None:
        wanted = key.encode()
        while not self._ended and (self._row is None or self._row["key"].encode() < wanted):
            self._row = await anext(self._rows, None)
            self._ended = self._row is None
        return self._row if self._row is not None and self._row["key"] == key else None


CHECKS = (
    Check("I3", "contents", contents),
    Check("I5", "results", results),
    Check("I5", "merged_days", merged_days),
    Check("I5", "left_over", left_over),
    Check("I14", "rewritten", rewritten),
)
