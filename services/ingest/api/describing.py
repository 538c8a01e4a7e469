"""How an upload is described to those who read the OpenAPI document.

The route reads its request itself, byte by byte, so the framework cannot see what it takes.
"""

from typing import Any

from services.ingest.domain.documents import KEY_CHARS_MAX, PRIORITIES
from services.ingest.domain.said import METADATA_BYTES_MAX, TAGS_MAX

_TEXT = {"type": "string"}
_PRIORITY = {"type": "string", "enum": [*PRIORITIES], "default": "normal"}
_WORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "priority": ("How soon; urgent goes before all.", _PRIORITY),
    "tags": (f"At most {TAGS_MAX}, separated by commas; to find documents by.", _TEXT),
    "metadata": (
        f"A JSON object of at most {METADATA_BYTES_MAX} bytes, echoed and never read.",
        _TEXT,
    ),
    "due_at": ("When it is wanted.", {"type": "string", "format": "date-time"}),
}
_BYTES = {"type": "string", "format": "binary"}


def _parameter(where: str, name: str, description: str, schema: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    return {"in": where, "name": name, "description": description, "schema": schema}


UPLOAD: dict[str, Any] = {
    "parameters": [
        *(_parameter("query", name, *told) for name, told in _WORDS.items()),
        _parameter("header", "X-Filename", "Percent-encoded; of a raw body.", _TEXT),
        _parameter(
            "header",
            "Idempotency-Key",
            "Stands for this request for a day: sent again, it makes no second document.",
            {"type": "string", "maxLength": KEY_CHARS_MAX},
        ),
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": _BYTES},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": _BYTES,
                        **{name: schema for name, (_, schema) in _WORDS.items()},
                    },
                }
            },
        },
    },
}
