"""From a request of the API to what the double says, mode by mode."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.gemini_double import replies
from tests.gemini_double.files import Files
from tests.gemini_double.script import Step
from tests.gemini_double.wire import Response

REQUEST_BYTES_MAX = 100 * 1024 * 1024
TAKEN = ("application/pdf", "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
HTML = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
HUGE_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the API understands it."""

    model: str
    documents: tuple[bytes, ...]
    media_types: tuple[str, ...]
    texts: tuple[str, ...]
    instruction: str
    config: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(b"".join(self.documents)).hexdigest()

    @property
    def schema(self) -> Mapping[str, Any] | None:
        for name in ("responseSchema", "responseJsonSchema"):
            if name in self.config:
                schema: Mapping[str, Any] = self.config[name]
                return schema
        return None


def understood(model: str, body: bytes, files: Files) -> Asked:
    """ValueError, KeyError or TypeError for what is not a request of this API."""
    told = json.loads(body)
    parts = [_named(part) for content in told["contents"] for part in content["parts"]]
    documents = [one for part in parts if (one := _document(part, files)) is not None]
    system = told.get("systemInstruction", {}).get("parts", [])
    return Asked(
        model,
        tuple(content for content, _ in documents),
        tuple(media_type for _, media_type in documents),
        tuple(part["text"] for part in parts if "text" in part),
        "\n".join(part["text"] for part in system if "text" in part),
        told.get("generationConfig", {}),
    )


def _document(part: Mapping[str, Any], files: Files) -> tuple[bytes, str] | None:
    if "inlineData" in part:
        told = _named(part["inlineData"])
        return _decoded(told["data"]), told["mimeType"]
    if "fileData" not in part:
        return None
    held = files.opened(_named(part["fileData"])["fileUri"])
    if held is None:
        raise ValueError("no such file, or it is not open yet")
    return held.content, held.media_type


def _named(told: Mapping[str, Any]) -> dict[str, Any]:
    """The API takes both spellings of a name, and its own client sends both."""
    return {re.sub(r"_(\w)", lambda at: at[1].upper(), name): told[name] for name in told}


def _decoded(text: str) -> bytes:
    # The client sends the URL-safe alphabet, and the API takes both.
    return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def objection(asked: Asked) -> Response | None:
    """What the API does not take, whatever the mode."""
    for one in asked.media_types:
        if one not in TAKEN:
            return _refused(f"Unsupported MIME type: {one}")
    if re.search(r"additionalProperties|\$ref", json.dumps(asked.schema)):
        return _refused("Invalid JSON payload received. Unknown name in the schema.")
    return None


def _refused(message: str) -> Response:
    return Response(400, replies.error(400, "INVALID_ARGUMENT", message))


def spoken(step: Step, asked: Asked, answer: Mapping[str, Any]) -> Response:
    """The response of every mode that has one; the others only begin with it."""
    if step.mode in _ERRORS:
        code, body = _ERRORS[step.mode](step)
        return Response(code, body)
    if step.mode in ("html", "html_502"):
        return Response(502 if step.mode == "html_502" else 200, HTML, "text/html")
    if step.mode == "broken_body":
        return Response(200, b'{"candidates": [{"content": {"parts": [')
    if step.mode in _EMPTY:
        return Response(200, _EMPTY[step.mode](asked.model))
    text = json.dumps(answer, ensure_ascii=False)
    if step.mode == "truncated":
        return _said(text[: len(text) // 2], asked, "MAX_TOKENS")
    finish = "MAX_TOKENS" if step.mode == "truncated_whole" else "STOP"
    return _said(_distorted(step, text), asked, finish)


def _said(text: str, asked: Asked, finish: str = "STOP") -> Response:
    pages = max(1, len(asked.documents))
    return Response(200, replies.answer(text, asked.model, finish=finish, pages=pages))


def _distorted(step: Step, text: str) -> str:
    if step.mode == "text":
        return str(step.options["text"])
    if step.mode == "garbage":
        return "I am sorry, here is what I found: total 12,00"
    if step.mode == "wrong_schema":
        return json.dumps({"invoice": {"total": 12.5}, "items": "none"})
    if step.mode == "nan":
        return '{"invoices": NaN, "fields": [{"path": "total", "value": NaN}], "lines": []}'
    if step.mode == "huge":
        return "0" * int(step.options.get("bytes", HUGE_BYTES))
    return text


def within(schema: Mapping[str, Any] | None, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Only what was asked for: the API enforces the schema's properties."""
    known: Sequence[str] | None = list(schema.get("properties", {})) if schema else None
    return {name: one for name, one in answer.items() if known is None or name in known}


_ERRORS: Mapping[str, Callable[[Step], tuple[int, bytes]]] = {
    "rate_minute": lambda step: (
        429,
        replies.exhausted(replies.MINUTE, step.options.get("retry_delay", "38s")),
    ),
    "rate_day": lambda step: (
        429,
        replies.exhausted(replies.DAY, step.options.get("retry_delay")),
    ),
    "rate_bare": lambda _: (429, replies.exhausted(None, None)),
    "error_400": lambda step: (
        400,
        replies.error(400, "INVALID_ARGUMENT", step.options.get("text", "It has no pages.")),
    ),
    "schema_refused": lambda _: (
        400,
        replies.error(
            400,
            "INVALID_ARGUMENT",
            "The specified schema produces a constraint that has too many states for serving.",
        ),
    ),
    "error_403": lambda _: (403, replies.no_key()),
    "error_404": lambda _: (
        404,
        replies.error(404, "NOT_FOUND", "models/x is not found for API version v1beta"),
    ),
    "error_500": lambda _: (
        500,
        replies.error(500, "INTERNAL", "An internal error has occurred."),
    ),
    "error_503": lambda _: (
        503,
        replies.error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    ),
}
_FILTERED = {
    "safety": "SAFETY",
    "recitation": "RECITATION",
    "blocklist": "BLOCKLIST",
    "spii": "SPII",
    "prohibited": "PROHIBITED_CONTENT",
}
_EMPTY: Mapping[str, Callable[[str], bytes]] = {
    "empty": replies.without_candidates,
    "no_parts": replies.without_parts,
    "blocked_prompt": replies.blocked,
    **{
        mode: partial(replies.without_content, finish=finish)
        for mode, finish in _FILTERED.items()
    },
    "truncated_empty": lambda model: replies.answer(None, model, finish="MAX_TOKENS"),
}
