"""A published message stays readable: no field lost, none newly required, none narrowed."""

import copy
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.json_schema import message_schema, schemas
from shared.contracts.orders import ExtractDocumentV1
from tests.contract.compatibility import Schema, breaks
from tests.contract.freezer import SCHEMAS, digest, frozen, name, published
from tests.house.repository import ROOT

_VERSION = re.compile(r"^(?P<type>.+)\.v(?P<major>\d+)\.(?P<minor>\d+)\.json$")

Change = Callable[[Schema], Any]


def _families() -> dict[str, list[Path]]:
    """The schemas of one type and major, oldest minor first."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in SCHEMAS.glob("*.json"):
        version = _VERSION.match(path.name)
        assert version, f"{path.name} is not named <type>.v<major>.<minor>.json"
        family = f"{version['type']} {version['major']}"
        found.setdefault(family, []).append((int(version["minor"]), path))
    return {family: [path for _, path in sorted(paths)] for family, paths in found.items()}


@pytest.mark.parametrize("file", schemas())
def test_a_schema_is_what_the_model_says(file: str) -> None:
    hint = "python -m shared.contracts; a published version needs a new minor instead"

    assert json.loads((SCHEMAS / file).read_text()) == schemas()[file], hint


@pytest.mark.parametrize("family", _families())
def test_a_minor_version_reads_what_the_one_before_wrote(family: str) -> None:
    minors = [json.loads(path.read_text()) for path in _families()[family]]

    for old, new in pairwise(minors):
        assert breaks(old, new) == []


@pytest.mark.parametrize("path", published(), ids=name)
def test_what_was_published_is_frozen(path: Path) -> None:
    listed = frozen()

    assert name(path) in listed, "new: python -m tests.contract.freezer"
    assert listed[name(path)] == digest(path), "published: make a new version instead"


def test_nothing_that_was_published_has_gone() -> None:
    assert [path for path in frozen() if not (ROOT / path).exists()] == []


def _field(schema: Schema, field: str) -> Schema:
    found: Schema = schema["properties"]["body"]["properties"][field]
    return found


def _set(field: str, **keywords: object) -> Change:
    return lambda schema: _field(schema, field).update(keywords)


def _body(change: Change) -> Change:
    return lambda schema: change(schema["properties"]["body"])


BREAKING: dict[str, Change] = {
    "a field is removed": _body(lambda body: body["properties"].pop("filename")),
    "a field is renamed": _body(
        lambda body: body["properties"].update(name=body["properties"].pop("filename"))
    ),
    "an optional field becomes required": _body(
        lambda body: body["required"].append("filename")
    ),
    "a new field is required": _body(lambda body: body["required"].append("language")),
    "a text becomes a number": _set("media_type", type="integer"),
    "a text may be shorter only": _set("owner_id", maxLength=100),
    "a text may be longer only": _set("owner_id", minLength=2),
    "a text must be short from now on": _set("media_type", maxLength=10),
    "a text has another pattern": _set("sha256", pattern="^[0-9a-f]{128}$"),
    "a text has a pattern from now on": _set("media_type", pattern="^image/"),
    "a text has a format from now on": _set("content_key", format="uri"),
    "a number starts higher": _set("size_bytes", minimum=1),
    "a number ends from now on": _set("size_bytes", maximum=10),
    "a choice is gone": _set("priority", enum=[1, 3, 5]),
    "a text becomes a choice": _set("media_type", enum=["application/pdf"]),
    "a type is no longer the same": lambda schema: schema["properties"]["header"]["properties"][
        "type"
    ].update(const="document.read"),
    "what is unknown is refused": _body(lambda body: body.update(additionalProperties=False)),
    "the trace is gone": lambda schema: schema["properties"].pop("tracing"),
}
HARMLESS: dict[str, Change] = {
    "nothing changes": lambda _: None,
    "an optional field is added": _body(
        lambda body: body["properties"].update(language={"type": "string", "default": ""})
    ),
    "a required field becomes optional": _body(lambda body: body["required"].remove("sha256")),
    "a choice is added": _set("priority", enum=[1, 3, 4, 5, 6]),
    "a text may be longer": _set("owner_id", maxLength=300),
    "a number may be a fraction": _set("size_bytes", type="number"),
    "a field may be null": lambda schema: schema["properties"]["body"]["properties"].update(
        media_type={"anyOf": [{"type": "string"}, {"type": "null"}]}
    ),
}


def _changed(change: Change) -> tuple[Schema, Schema]:
    old = message_schema(ExtractDocumentV1)
    new = copy.deepcopy(old)
    change(new)
    return old, new


@pytest.mark.parametrize("change", BREAKING.values(), ids=BREAKING)
def test_a_change_that_breaks_an_old_message_is_noticed(change: Change) -> None:
    assert breaks(*_changed(change))


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_change_that_only_adds_is_allowed(change: Change) -> None:
    assert breaks(*_changed(change)) == []


def test_an_alternative_that_is_gone_is_noticed() -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "null"}]}

    assert breaks(either, {"type": "string"}) == ["the message is no longer null"]
    assert breaks(
        {"type": "array", "items": either}, {"type": "array", "items": {"type": "null"}}
    )
