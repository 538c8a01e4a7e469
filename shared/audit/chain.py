"""How a line of the audit log is written down, and how one line vouches for the one before.

Pure. A hash over something that can be rendered in two ways proves nothing, so each line is
one canonical text, stored as it was hashed. The database computes the same hash when a line
is appended; whoever verifies needs only these few lines, not our word.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

GENESIS = bytes(32)
# As the table has it; and so much of each part that all of them fit.
LINE_BYTES_MAX = 262_144
PART_BYTES_MAX = 80_000
BEGINNING_CHARS = 2_000


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
    """Raises TypeError or ValueError for what is not JSON: a line must not be lost in print. Of
    what is too long there is the beginning and a digest: no deed is refused for its length."""
    text = _text(entry)
    if len(text) <= LINE_BYTES_MAX:
        return text
    before, after = _shortened(entry.before), _shortened(entry.after)
    return _text(replace(entry, before=before, after=after, reason=_cut(entry.reason)))


def _text(entry: Entry) -> str:
    fields = {
        "actor": _plain(entry.actor),
        "action": _plain(entry.action),
        "resource": _plain(entry.resource),
        "before": entry.before,
        "after": entry.after,
        "reason": _plain(entry.reason),
    }
    return _json(fields)


def _json(value: Json) -> str:
    # ASCII only: no two ways to write a letter, and no letter the database refuses.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _shortened(value: Json) -> Json:
    text = _json(value)
    if len(text) <= PART_BYTES_MAX:
        return value
    return {
        "shortened": True,
        "bytes": len(text),
        "sha256": sha256(text.encode()).hexdigest(),
        "beginning": text[:BEGINNING_CHARS],
    }


def _cut(words: str) -> str:
    if len(_json(words)) <= PART_BYTES_MAX:
        return words
    digest = sha256(words.encode(errors="replace")).hexdigest()
    return f"{words[:BEGINNING_CHARS]} … ({len(words)} characters, sha256 {digest})"


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
