"""What clients sent and were told, as they wrote it down: one JSON object per line.

    {"kind": "told", "status": 202, "document_id": …, "key": …, "sha256": …, "size": …}
    {"kind": "sent" | "lost", "key": …}            a try, and one whose answer never came
    {"kind": "innocent", "document_id": …}         nothing of others may make it fail
    {"kind": "killed", "service": "extractor", "at": …}     a call may be paid for twice;
                                                   with "began", at some moment since then,
                                                   with "sha256", for this content only
    {"kind": "excused", "subject": …, "promises": ["I5"], "why": …}     broken on purpose
    {"kind": "canary", "text": …}                  must be found in no log, metric or list

Read anew for every look, and a few thousand promises at once: a history may be long.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from deploy.verify.promises import CannotJudge, Excuse

ACCEPTED = 202
AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Promise:
    document_id: UUID
    key: str | None = None
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Death:
    """At some moment between the two, in seconds since the epoch."""

    after: float
    before: float
    # Known to have had this content in hand, and no other.
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    path: Path

    def promises(self) -> Iterator[list[Promise]]:
        """Some at a time, each document once in each."""
        some: dict[UUID, Promise] = {}
        for line in self._lines("told"):
            if line.get("status") == ACCEPTED and line.get("document_id"):
                one = _promise(line)
                some[one.document_id] = one
            if len(some) >= AT_ONCE:
                yield list(some.values())
                some.clear()
        if some:
            yield list(some.values())

    def keys(self) -> Mapping[str, set[UUID]]:
        """For which documents each key was told to stand."""
        found: dict[str, set[UUID]] = {}
        for some in self.promises():
            for one in some:
                if one.key is not None:
                    found.setdefault(one.key, set()).add(one.document_id)
        return found

    def innocent(self) -> list[UUID]:
        return [UUID(line["document_id"]) for line in self._lines("innocent")]

    def canaries(self) -> list[str]:
        return [line["text"] for line in self._lines("canary")]

    def excuses(self) -> list[Excuse]:
        return [
            Excuse(line["subject"], frozenset(line["promises"]), line.get("why", ""))
            for line in self._lines("excused")
        ]

    def deaths(self, service: str) -> list[Death]:
        return [
            Death(float(line.get("began", line["at"])), float(line["at"]), line.get("sha256"))
            for line in self._lines("killed")
            if line["service"] == service
        ]

    def _lines(self, kind: str) -> Iterator[dict[str, Any]]:
        try:
            with self.path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    told = _understood(line, self.path, number)
                    if told.get("kind") == kind:
                        yield told
        except OSError as error:
            raise CannotJudge(f"no history at {self.path}: {error.strerror}") from error


def _understood(line: str, path: Path, number: int) -> dict[str, Any]:
    if not line.endswith("\n"):
        # Its writer was killed in the middle of it.
        return {}
    try:
        told: dict[str, Any] = json.loads(line)
    except ValueError as error:
        raise CannotJudge(f"{path}, line {number} is no JSON object: {error}") from error
    return told


def _promise(line: Mapping[str, Any]) -> Promise:
    return Promise(
        UUID(line["document_id"]), line.get("key"), line.get("sha256"), line.get("size")
    )
