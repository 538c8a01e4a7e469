"""The JSON Schema of every message, and of what travels beside them by key, for whoever reads
or writes one in another language.

Nothing that does not change what is valid is kept (titles, descriptions): the file of a
published version is frozen, and a better sentence in a docstring must not thaw it.
"""

from typing import Any

from pydantic import BaseModel

from shared.contracts.body import Body
from shared.contracts.envelope import Header
from shared.contracts.extraction import SCHEMA_VERSION, ExtractionV1
from shared.contracts.registry import BODIES, newest_major
from shared.contracts.words import SCHEMA_VERSION as WORDS_VERSION
from shared.contracts.words import RecognisedWordsV1

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_WORDS = {"title", "description"}

Schema = dict[str, Any]


def file_name(body: type[Body]) -> str:
    return f"{body.type}.v{body.version}.json"


def schemas() -> dict[str, Schema]:
    """Of each type its newest version, by the name of its file."""
    found = {file_name(body): message_schema(body) for body in BODIES.values()}
    found[f"extraction.v{SCHEMA_VERSION}.json"] = _plain(ExtractionV1)
    found[f"recognised_words.v{WORDS_VERSION}.json"] = _plain(RecognisedWordsV1)
    return {name: {"$schema": DIALECT, "$id": name, **schema} for name, schema in found.items()}


def message_schema(body: type[Body]) -> Schema:
    """The whole message: header, body, tracing."""
    parts = {"header": _header(body), "body": _plain(body), "tracing": _tracing()}
    return {"type": "object", "required": list(parts), "properties": parts}


def _plain(model: type[BaseModel]) -> Schema:
    found = model.model_json_schema(mode="validation")
    definitions = found.pop("$defs", {})
    plain: Schema = _resolved(found, definitions)
    return plain


def _resolved(node: Any, definitions: Schema) -> Any:  # noqa: ANN401 -- any part of a schema
    """Without references and words, so that a part can stand in another document."""
    if isinstance(node, list):
        return [_resolved(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _resolved({**target, **beside}, definitions)
    return {
        key: (
            # Below `properties` the keys are names of fields, and a field may be a "title".
            {name: _resolved(one, definitions) for name, one in value.items()}
            if key == "properties"
            else _resolved(value, definitions)
        )
        for key, value in node.items()
        if key not in _WORDS
    }


def _header(body: type[Body]) -> Schema:
    header = _plain(Header)
    # A newer minor of the same major is a message of this type too.
    version = rf"^{newest_major(body)}\.[0-9]{{1,4}}$"
    header["properties"] |= {
        "type": {"const": body.type},
        "version": {"type": "string", "pattern": version},
    }
    return header


def _tracing() -> Schema:
    ids = {"trace_id": 32, "span_id": 16}
    return {
        "type": "object",
        "required": list(ids),
        "properties": {
            name: {"type": "string", "pattern": f"^[0-9a-f]{{{digits}}}$"}
            for name, digits in ids.items()
        },
    }
