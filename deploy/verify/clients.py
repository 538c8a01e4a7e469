"""Were clients told the truth? What each was promised, against rows and bytes."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from deploy.verify.database import Row
from deploy.verify.history import AT_ONCE, History, Promise
from deploy.verify.looking import Check, Look, Notes
from deploy.verify.objects import Objects
from deploy.verify.promises import NotGiven


async def promised_rows(look: Look, notes: Notes) -> None:
    """I1: who was told yes is a row, as long as anybody remembers that it once was one."""
    for lost in await _without_a_row(look):
        if lost in await _remembered(look, [lost]):
            notes.add(str(lost), "was promised, and is no row any more")


async def promised_lies(look: Look, notes: Notes) -> None:
    """I4: a yes that was never committed, of which nobody has ever heard."""
    lost = await _without_a_row(look)
    remembered = await _remembered(look, lost)
    for one in lost:
        if one not in remembered:
            notes.add(str(one), "was promised, and nobody has ever heard of it")


async def promised_bytes(look: Look, notes: Notes) -> None:
    """I3: what was sent is what lies there."""
    history, objects = _history(look), look.sources.objects
    if objects is None:
        raise NotGiven("the object store")
    count = 0
    for some in history.promises():
        told = {one.document_id: one for one in some}
        for row in await look.snapshot.fetch("promised", list(told)):
            if row["status"] == "deleted":
                continue
            count += 1
            if fault := _fault(told[row["document_id"]], row, objects):
                notes.add(str(row["document_id"]), fault, row["mark"])
    notes.note = f"{count} promised contents read"


def _fault(sent: Promise, row: Row, objects: Objects) -> str:
    if sent.sha256 not in (None, row["sha256"]):
        return "is kept under another digest than was sent"
    if sent.size not in (None, row["size_bytes"]):
        return "is kept with another size than was sent"
    digest = objects.digest(row["content_key"])
    if digest is None:
        return f"{row['content_key']}: missing"
    return "" if digest == row["sha256"] else f"{row['content_key']}: other bytes"


async def keys_of_one(look: Look, notes: Notes) -> None:
    """I4: a key that was repeated after an answer was lost stands for the first document."""
    keys = _history(look).keys()
    for key, documents in keys.items():
        if len(documents) > 1:
            names = ", ".join(sorted(map(str, documents)))
            notes.add(key, f"was told to stand for {names}")
    for some in _portions(sorted(keys)):
        kept: dict[str, set[UUID]] = {}
        for row in await look.snapshot.fetch("keyed", some):
            kept.setdefault(row["idempotency_key"], set()).add(row["document_id"])
        for key, documents in kept.items():
            if not documents & keys[key]:
                names = ", ".join(sorted(map(str, documents)))
                notes.add(key, f"stands for {names}, and its client was told otherwise")


async def innocent(look: Look, notes: Notes) -> None:
    """I13: documents that are beyond doubt, beside others that are not."""
    documents = _history(look).innocent()
    if not documents:
        raise NotGiven("a history with innocent documents")
    for row in await look.snapshot.fetch("innocent", documents):
        notes.add(row["subject"], row["detail"], row["mark"])
    notes.note = f"{len(documents)} innocent documents"


async def _without_a_row(look: Look) -> list[UUID]:
    lost: list[UUID] = []
    for some in _history(look).promises():
        rows = await look.snapshot.fetch("promised", _ids(some))
        there = {row["document_id"] for row in rows}
        lost += [one for one in _ids(some) if one not in there]
    return lost


async def _remembered(look: Look, documents: Sequence[UUID]) -> set[UUID]:
    if not documents:
        return set()
    rows = await look.snapshot.fetch("remembered", list(documents))
    return {UUID(str(row["document_id"])) for row in rows}


def _ids(some: Sequence[Promise]) -> list[UUID]:
    return [one.document_id for one in some]


def _portions(keys: Sequence[str]) -> Iterator[list[str]]:
    return (list(keys[at : at + AT_ONCE]) for at in range(0, len(keys), AT_ONCE))


def _history(look: Look) -> History:
    if look.sources.history is None:
        raise NotGiven("a history of clients")
    return look.sources.history


CHECKS = (
    Check("I1", "promised_rows", promised_rows),
    Check("I3", "promised_bytes", promised_bytes),
    Check("I4", "promised_lies", promised_lies),
    Check("I4", "keys_of_one", keys_of_one),
    Check("I13", "innocent", innocent),
)
