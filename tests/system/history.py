"""What the clients of a stack sent and were told, written down while it happens.

One file beside the stack, to which every client appends whole lines, so that a client which is
killed, or several at once, leave nothing that `deploy/verify` could not read.
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

FILE = "history.jsonl"


@dataclass(frozen=True, slots=True)
class Recorder:
    path: Path

    def note(self, kind: str, **told: object) -> None:
        line = json.dumps({"at": time.time(), "kind": kind, **told}, default=str) + "\n"
        # One write to a file opened for appending: lines of several writers never mix.
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)

    def sending(self, content: bytes, key: str | None) -> "Try":
        one = Try(self, str(uuid4()), key, sha256(content).hexdigest(), len(content))
        self.note("sent", attempt=one.attempt, key=key, sha256=one.sha256, size=one.size)
        return one

    def innocent(self, document_ids: Iterable[UUID]) -> None:
        """Nothing that happens to others may make these fail."""
        for document_id in document_ids:
            self.note("innocent", document_id=document_id)

    def canaries(self, texts: Iterable[str]) -> None:
        """These must stand in no log, no metric and no list of letters."""
        for text in texts:
            self.note("canary", text=text)

    def excuse(self, subject: object, *promises: str, why: str) -> None:
        """A test breaks this on purpose; of this subject, these promises are not asked."""
        self.note("excused", subject=subject, promises=promises, why=why)


@dataclass(frozen=True, slots=True)
class Try:
    """One upload on its way."""

    recorder: Recorder
    attempt: str
    key: str | None
    sha256: str
    size: int

    def told(self, status: int, document_id: UUID | None) -> None:
        self.recorder.note(
            "told",
            attempt=self.attempt,
            status=status,
            document_id=document_id,
            key=self.key,
            sha256=self.sha256,
            size=self.size,
        )

    def lost(self, error: Exception) -> None:
        self.recorder.note("lost", attempt=self.attempt, key=self.key, error=repr(error))
