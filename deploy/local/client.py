"""A client of the public API, standard library only, for the commands of the stack.

An upload carries an idempotency key made before its first try, so a try whose answer was
lost can be repeated without a second document.
"""

import http.client
import json
import mimetypes
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from deploy.local.errors import StackError

TIMEOUT_S = 30.0
AWAY_FOR_S = 120.0
PAUSE_S = 1.0
BUSY = (429, 503)
ENDED = frozenset({"completed", "failed", "duplicate", "cancelled", "deleted"})


class Refused(StackError):
    """The API understood and said no."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{detail} (HTTP {status})")
        self.status = status
        self.detail = detail


class Away(StackError):
    """Nobody answered, which a restart of the service may cure."""


@dataclass(frozen=True, slots=True)
class Client:
    address: str
    key: str

    def submit(self, file: Path, *, priority: str) -> str:
        """The new document's id. Waits out a busy or restarting API."""
        headers = {
            "Content-Type": mimetypes.guess_type(file.name)[0] or "application/octet-stream",
            # HTTP headers are ASCII; the other side decodes it as it would part of a URL.
            "X-Filename": quote(file.name),
            "Idempotency-Key": str(uuid.uuid4()),
        }
        path = f"/v1/documents?{urlencode({'priority': priority})}"
        answer = self._patiently("POST", path, file.read_bytes(), headers)
        document_id: str = answer["document_id"]
        return document_id

    def documents(self, *, limit: int) -> dict[str, Any]:
        return self._once("GET", f"/v1/documents?limit={limit}", None, {})

    def status(self, document_id: str) -> dict[str, Any]:
        return self._patiently("GET", f"/v1/documents/{document_id}/status", None, {})

    def result(self, document_id: str) -> dict[str, Any]:
        return self._patiently("GET", f"/v1/documents/{document_id}/result", None, {})

    def _patiently(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> dict[str, Any]:
        deadline = time.monotonic() + AWAY_FOR_S
        while True:
            try:
                return self._once(method, path, body, headers)
            except Refused as refusal:
                if refusal.status not in BUSY or time.monotonic() > deadline:
                    raise
            except Away:
                if time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE_S)

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> dict[str, Any]:
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=TIMEOUT_S
        )
        try:
            connection.request(
                method, path, body, {"Authorization": f"Bearer {self.key}", **headers}
            )
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            raise Away(f"No answer at {self.address} ({error}): ./paperline up") from error
        finally:
            connection.close()
        if response.status >= http.HTTPStatus.BAD_REQUEST:
            raise Refused(response.status, _detail(text) or response.reason)
        answer = json.loads(text)
        return answer if isinstance(answer, dict) else {"items": answer}


def _detail(text: str) -> str:
    """The sentence in an error answer, whichever of the usual shapes it has."""
    try:
        answer = json.loads(text)
    except ValueError:
        return text.strip()[:200]
    if not isinstance(answer, dict):
        return text.strip()[:200]
    return next((str(answer[key]) for key in ("detail", "error", "title") if key in answer), "")
