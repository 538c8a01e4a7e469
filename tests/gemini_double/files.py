"""The files that clients leave at the double: begun, sent in pieces, opened and deleted.

`will` is what becomes of them; without it all goes well. What is left at the end of a test is
what a client forgot.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.gemini_double import replies
from tests.gemini_double.wire import Request, Response

_UPLOAD = re.compile(r"/upload/v1(?:beta)?/files")
_FILE = re.compile(r"/v1(?:beta)?/(?P<name>files/[a-z0-9-]{1,40})")
MODES = frozenset(
    (
        *("ok", "slow", "stuck", "failed", "vanished", "nameless"),
        *("begin_429", "begin_403", "begin_404", "begin_400", "begin_503"),
        *("piece_429", "piece_503", "silent", "cut_off", "half"),
        *("delete_500", "delete_hang"),
    )
)
LOOKS_OF_SLOW = 3


@dataclass(slots=True)
class Held:
    media_type: str
    content: bytes = b""
    is_whole: bool = False
    looks: int = 0


@dataclass(slots=True)
class Files:
    mode: str = "ok"
    held: dict[str, Held] = field(default_factory=dict)
    # In the order of the requests: "begin", "piece", "look", "delete".
    asked: list[str] = field(default_factory=list)

    def will(self, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"no mode {mode!r}")
        self.mode = mode

    def answer(self, request: Request, url: str) -> Response | None:
        """None for what is about no file; a status of 0 says nothing, and hangs."""
        path, _, query = request.path.partition("?")
        if _UPLOAD.fullmatch(path) and "upload_id=" not in query:
            return self._begun(request, url)
        if _UPLOAD.fullmatch(path):
            return self._piece(request, f"files/{query.partition('=')[2]}", url)
        named = _FILE.fullmatch(path)
        if named is None:
            return None
        if request.method == "DELETE":
            return self._deleted(named["name"])
        return self._looked_at(named["name"], url)

    def opened(self, uri: str) -> Held | None:
        """What a request may ask for: as much as is here and was opened."""
        held = self.held.get(f"files/{uri.rpartition('/')[2]}")
        is_open = held is not None and held.is_whole and self.mode not in ("stuck", "failed")
        return held if is_open else None

    def _begun(self, request: Request, url: str) -> Response:
        self.asked.append("begin")
        if self.mode.startswith("begin_"):
            return _error(int(self.mode.removeprefix("begin_")))
        told = json.loads(request.body)["file"]
        self.held[told["name"]] = Held(request.headers["x-goog-upload-header-content-type"])
        place = f"{url}{request.path}?upload_id={told['name'].removeprefix('files/')}"
        headers = {"x-goog-upload-status": "active", "x-goog-upload-url": place}
        return Response(200, b"{}", headers={} if self.mode == "nameless" else headers)

    def _piece(self, request: Request, name: str, url: str) -> Response:
        self.asked.append("piece")
        if self.mode.startswith("piece_"):
            return _error(int(self.mode.removeprefix("piece_")))
        if self.mode == "silent":
            return Response(200, b"{}")
        held = self.held[name]
        held.content += request.body
        held.is_whole = "finalize" in request.headers["x-goog-upload-command"]
        if not held.is_whole or self.mode == "half":
            return Response(200, b"{}", headers={"x-goog-upload-status": "active"})
        file = json.dumps({"file": self._told(name, url)}).encode()
        status = "cancelled" if self.mode == "cut_off" else "final"
        return Response(200, file, headers={"x-goog-upload-status": status})

    def _looked_at(self, name: str, url: str) -> Response:
        self.asked.append("look")
        if name not in self.held or self.mode == "vanished":
            return _error(403)
        self.held[name].looks += 1
        return Response(200, json.dumps(self._told(name, url)).encode())

    def _deleted(self, name: str) -> Response:
        self.asked.append("delete")
        if self.mode == "delete_hang":
            return Response(0, b"")
        if self.mode == "delete_500":
            return _error(500)
        if self.held.pop(name, None) is None:
            return _error(403)
        return Response(200, b"{}")

    def _told(self, name: str, url: str) -> Mapping[str, Any]:
        held = self.held[name]
        return {
            "name": name,
            "mimeType": held.media_type,
            "sizeBytes": str(len(held.content)),
            "uri": f"{url}/v1/{name}",
            "state": self._state(held),
        }

    def _state(self, held: Held) -> str:
        if self.mode == "stuck":
            return "PROCESSING"
        if self.mode == "failed":
            return "FAILED" if held.looks else "PROCESSING"
        opens_after = {"slow": LOOKS_OF_SLOW, "vanished": 1}.get(self.mode, 0)
        return "ACTIVE" if held.looks >= opens_after else "PROCESSING"


def _error(code: int) -> Response:
    status = {403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
    known = status.get(code, "INVALID_ARGUMENT" if code == 400 else "UNAVAILABLE")
    return Response(code, replies.error(code, known, "said of a file"))
