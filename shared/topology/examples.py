"""An example of every message, made from its schema, for people who read a description.

What a field is called says more than its type, so texts have words that could stand there.
A test opens each example as the class of its type would be opened.
"""

from collections.abc import Mapping
from typing import Any

from shared.contracts.body import Body
from shared.contracts.json_schema import message_schema

Part = dict[str, Any]

DIGEST = "014fb00071551d36a19a40d52e9d49a6923d896cbc50757b313a0e9685313233"
CONTENT = f"sha256/01/{DIGEST}"
BY_FORMAT = {
    "uuid": "0197c1d2-3a4b-7c5d-8e6f-0123456789ab",
    "date-time": "2026-03-14T09:26:53Z",
}
WORDS: Mapping[str, str] = {
    "bucket": "scans",
    "content_key": CONTENT,
    "currency": "EUR",
    "engine": "offline",
    "extraction_key": CONTENT,
    "filename": "invoice-17.pdf",
    "idempotency_key": "invoice-17",
    "invoice_date": "2026-03-01",
    "invoice_number": "RE-17",
    "key": "2026/invoice-17.pdf",
    "media_type": "application/pdf",
    "owner_id": "acme",
    "queue": "extractor.extract",
    "result_key": "data/versions/0197c1d2-3a4b-7c5d-8e6f-0123456789ab/v1.json",
    "reviewer": "anna",
    "service": "extractor",
    "sha256": DIGEST,
    "span_id": "00f067aa0ba902b7",
    "total": "119.00",
    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "vendor_name": "Nordwind Werkzeuge GmbH",
}
# Of two that exclude each other, the one that an example goes without.
LEFT_OUT: Mapping[str, frozenset[str]] = {"document.submit": frozenset({"content_key"})}


def example_of(body: type[Body]) -> Part:
    """The whole message: header, body, tracing."""
    schema = message_schema(body)
    parts: Part = {name: _value(name, one) for name, one in schema["properties"].items()}
    parts["header"] |= {"version": body.version}
    for name in LEFT_OUT.get(body.type, ()):
        del parts["body"][name]
    return parts


def _value(name: str, schema: Part) -> Any:  # noqa: ANN401 -- any JSON
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return _value(name, schema["anyOf"][0])
    if schema.get("default") not in (None, "", [], {}) and "properties" not in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    return _MADE[schema.get("type", "string")](name, schema)


def _text(name: str, schema: Part) -> str:
    fallback = WORDS.get(name, name.replace("_", " "))
    return BY_FORMAT.get(schema.get("format", ""), fallback)


def _whole(name: str, schema: Part) -> int:
    del name
    return max(1, int(schema.get("minimum", 1)))


def _number(name: str, schema: Part) -> float:
    del name
    return 0.9 if schema.get("maximum") == 1 else 60.0


def _list(name: str, schema: Part) -> list[Any]:
    return [_value(name, schema["items"])] * int(schema.get("minItems", 1))


def _object(name: str, schema: Part) -> Part:
    del name
    return {one: _value(one, inner) for one, inner in schema.get("properties", {}).items()}


def _flag(name: str, schema: Part) -> bool:
    del name
    return bool(schema.get("default", False))


_MADE = {
    "string": _text,
    "integer": _whole,
    "number": _number,
    "array": _list,
    "object": _object,
    "boolean": _flag,
}
