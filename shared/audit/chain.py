"""How a line of the audit log is written down, and how one line vouches for the one before.

Pure. A hash over something that can be rendered in two ways proves nothing, so each line is
one canonical text, stored as it was hashed. The database computes the same hash when a line
is appended; whoever verifies needs only these few lines, not our word.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True)
class Entry:
    """`before` and `after` hold what changed; both are empty for what was only looked at."""

    actor: str
    action: str
    resource: str
    before: Json = None
    after: Json = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    seq: int
    at: datetime
    text: str
    previous: bytes
    hash: bytes

    def entry(self) -> Entry:
        return Entry(**json.loads(self.text))


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the chain. Kept elsewhere, it proves later that the past is still the past."""

    seq: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Broken:
    """The first line that does not hold; everything before it does."""

    seq: int
    why: str


def canonical(entry: Entry) -> str:
    """Raises TypeError or ValueError for what is not JSON: a line must not be lost in print."""
    fields = {
        "actor": _plain(entry.actor),
        "action": _plain(entry.action),
        "resource": _plain(entry.resource),
        "before": entry.before,
        "after": entry.after,
        "reason": _plain(entry.reason),
    }
    # ASCII only: no two ways to write a letter, and no letter the database refuses.
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of(line: Line) -> bytes:
    moment = line.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return sha256(line.previous + f"{line.seq}|{moment}|{line.text}".encode()).digest()


def fault(line: Line, before: Link) -> Broken | None:
    """What is wrong with the line that should follow this link."""
    if line.seq != before.seq + 1:
        return Broken(before.seq + 1, "missing")
    if line.previous != before.hash:
        return Broken(line.seq, "not linked to the line before")
    if line.hash != hash_of(line):
        return Broken(line.seq, "altered")
    return None


def _plain(words: str) -> str:
    # PostgreSQL has no NUL in a text, and a reason typed by a person may hold anything.
    return words.replace("\x00", "\ufffd")
