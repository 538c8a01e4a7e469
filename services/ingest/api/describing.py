"""How an upload is described to those who read the OpenAPI document.

The route reads its request itself, byte by byte, so the framework cannot see what it takes.
"""

from typing import Any

from pydantic import BaseModel

from services.ingest.api.handing_in import MANIFEST, BatchRequest, Manifest
from services.ingest.api.passwords import CHARS_MAX, FIELD, HEADER, LATE
from services.ingest.domain.batches import ITEMS_MAX
from services.ingest.domain.documents import KEY_CHARS_MAX, PRIORITIES
from services.ingest.domain.said import (
    DUE_YEARS,
    METADATA_BYTES_MAX,
    METADATA_DEPTH_MAX,
    TAGS_MAX,
)

_TEXT = {"type": "string"}
_PRIORITY = {"type": "string", "enum": [*PRIORITIES], "default": "normal"}
_WORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "priority": ("How soon; urgent goes before all.", _PRIORITY),
    "tags": (f"At most {TAGS_MAX}, separated by commas; to find documents by.", _TEXT),
    "metadata": (
        f"A JSON object of at most {METADATA_BYTES_MAX} bytes and {METADATA_DEPTH_MAX} levels, "
        "echoed and never read.",
        _TEXT,
    ),
    "due_at": (
        f"When it is wanted, in the years {DUE_YEARS[0]} to {DUE_YEARS[-1]}.",
        {"type": "string", "format": "date-time"},
    ),
}
_BYTES = {"type": "string", "format": "binary"}
_PASSWORD = {"type": "string", "format": "password", "maxLength": CHARS_MAX}


def _parameter(where: str, name: str, description: str, schema: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    return {"in": where, "name": name, "description": description, "schema": schema}


UPLOAD: dict[str, Any] = {
    "parameters": [
        *(_parameter("query", name, *told) for name, told in _WORDS.items()),
        _parameter("header", "X-Filename", "Percent-encoded; of a raw body.", _TEXT),
        _parameter(
            "header",
            HEADER,
            "Of a locked PDF, percent-encoded. The document is kept without its lock; the "
            "password is not kept.",
            _PASSWORD,
        ),
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
                        FIELD: {**_PASSWORD, "description": LATE},
                        "file": _BYTES,
                        **{name: schema for name, (_, schema) in _WORDS.items()},
                    },
                }
            },
        },
    },
}


def _inlined(model: type[BaseModel]) -> dict[str, Any]:
    """The framework keeps only the schemas of what it reads itself, so nothing is referred
    to."""
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})

    def filled(node: Any) -> Any:  # noqa: ANN401 -- JSON
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name:
                return filled(parts[name])
            return {key: filled(value) for key, value in node.items()}
        return [filled(one) for one in node] if isinstance(node, list) else node

    inlined: dict[str, Any] = filled(schema)
    return inlined


BATCH: dict[str, Any] = {
    "parameters": [
        *(_parameter("query", name, *told) for name, told in _WORDS.items()),
        _parameter(
            "header",
            "Idempotency-Key",
            "Stands for the whole request for a day, and with `:0`, `:1`, … for its items: "
            "sent again, it makes no second batch.",
            {"type": "string", "maxLength": KEY_CHARS_MAX},
        ),
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {"type": "array", "items": _BYTES, "maxItems": ITEMS_MAX},
                        MANIFEST: {
                            **_inlined(Manifest),
                            "description": "What is said of all files, or of one by its name.",
                        },
                        **{name: schema for name, (_, schema) in _WORDS.items()},
                    },
                }
            },
            "application/zip": {
                "schema": {**_BYTES, "description": "Its files, by their last names."}
            },
            "application/json": {"schema": _inlined(BatchRequest)},
        },
    },
}
