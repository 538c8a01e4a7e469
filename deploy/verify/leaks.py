"""Does any log, any metric, or any dead letter as it is listed, say a secret?

Looked for are the secrets of the stack itself, and the canaries that stand in what clients
handed in: accounts and names. What is there to hold those (tables, objects, the desk) is not
looked at. What is found is told without its text: a report must not be the next leak.
"""

from asyncio import to_thread
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from pathlib import Path

from deploy.verify.looking import Check, Look, Notes
from deploy.verify.machine import metrics_of
from deploy.verify.promises import NotGiven

# Less is no secret, and found everywhere.
CHARS_MIN = 8
PIECE_BYTES = 1 << 20


async def leaks(look: Look, notes: Notes) -> None:
    wanted = _wanted(look)
    if not wanted:
        raise NotGiven("secrets or canaries to look for")
    machine, found = look.sources.machine, set[tuple[str, int]]()
    if machine is not None and machine.logs is not None:
        found |= await to_thread(_in_files, machine.logs, wanted)
    if machine is not None:
        found |= await to_thread(_in_metrics, machine.ops_ports, wanted)
    async with aclosing(look.snapshot.stream("letters_that_tell")) as rows:
        async for row in rows:
            text = row["text"].encode(errors="replace")
            found |= {(row["subject"], one) for one in _said(text, wanted)}
    for where, number in sorted(found):
        notes.add(where, f"says secret {number} of {len(wanted)}", str(number))
    notes.note = f"{len(wanted)} secrets looked for"


def _wanted(look: Look) -> tuple[bytes, ...]:
    machine, history = look.sources.machine, look.sources.history
    texts = [*(machine.secrets if machine else ()), *(history.canaries() if history else ())]
    return tuple(one.encode() for one in dict.fromkeys(texts) if len(one) >= CHARS_MIN)


def _in_files(folder: Path, wanted: tuple[bytes, ...]) -> set[tuple[str, int]]:
    return {
        (path.name, number)
        for path in sorted(folder.glob("*.log*"))
        for piece in _pieces(path, max(map(len, wanted)))
        for number in _said(piece, wanted)
    }


def _in_metrics(ports: Mapping[str, int], wanted: tuple[bytes, ...]) -> set[tuple[str, int]]:
    return {
        (f"metrics of {name}", number)
        for name, port in ports.items()
        # Who does not answer says nothing either; that he does not is told by `readiness`.
        for number in _said(metrics_of(port) or b"", wanted)
    }


def _pieces(path: Path, overlap: int) -> Iterator[bytes]:
    """A secret that lies across two pieces is whole in one of them."""
    rest = b""
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield rest + piece
            rest = piece[-overlap:]


def _said(text: bytes, wanted: tuple[bytes, ...]) -> list[int]:
    return [number for number, one in enumerate(wanted, start=1) if one in text]


CHECKS = (Check("I18", "leaks", leaks),)
