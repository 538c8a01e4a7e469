"""One complete message per published version, as it was written on the day of its release.

They are never edited: a message like it may lie in a queue, an outbox or among the dead letters
of last month, and must still be read.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shared.contracts.body import Body
from shared.contracts.envelope import decode, encode, open_body, with_attempt
from shared.contracts.json_schema import message_schema
from shared.contracts.registry import BODIES, newest_major
from tests.contract.freezer import SAMPLES

SAMPLE_FILES = sorted(SAMPLES.glob("*.json"))

every_sample = pytest.mark.parametrize("sample", SAMPLE_FILES, ids=lambda one: one.stem)
every_body = pytest.mark.parametrize("body", BODIES.values(), ids=lambda one: one.type)


def _read(sample: Path) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(sample.read_text())
    return written


@every_body
def test_every_published_version_has_a_sample(body: type[Body]) -> None:
    versions = range(1, newest_major(body) + 1)
    expected = {f"{body.type}.v{major}.json" for major in versions}

    assert expected <= {path.name for path in SAMPLE_FILES}


@every_sample
def test_a_sample_is_still_read_as_the_newest_class_of_its_type(sample: Path) -> None:
    envelope = decode(sample.read_bytes())

    body = open_body(envelope)

    assert sample.name == f"{envelope.header.type}.v{envelope.header.major}.json"
    assert type(body) is BODIES[envelope.header.type]


@every_sample
def test_a_sample_of_the_newest_major_has_every_required_field(sample: Path) -> None:
    envelope = decode(sample.read_bytes())
    model = BODIES[envelope.header.type]
    if envelope.header.major < newest_major(model):
        return
    required = {name for name, field in model.model_fields.items() if field.is_required()}

    assert required <= set(envelope.body)
    # And says something with each: an empty text would hide that it is not read.
    assert not [name for name in required if envelope.body[name] in ("", None)]


@every_sample
def test_writing_a_sample_again_keeps_what_it_says(sample: Path) -> None:
    written = _read(sample)
    envelope = decode(sample.read_bytes())
    body = open_body(envelope)
    if envelope.header.major < newest_major(type(body)):
        return
    tracing = written["tracing"]

    again = json.loads(
        encode(
            body,
            job_id=envelope.header.job_id,
            created_at=envelope.header.created_at,
            traceparent=f"00-{tracing['trace_id']}-{tracing['span_id']}-01",
            max_attempts=envelope.header.max_attempts,
        )
    )

    # A later minor may say more, and never less or something else.
    assert again["body"] == again["body"] | written["body"]
    assert again["tracing"] == tracing
    version = {"version": again["header"]["version"]}
    assert again["header"] == written["header"] | version


@every_sample
def test_a_sample_waits_and_comes_back_unchanged(sample: Path) -> None:
    raw = sample.read_bytes()

    assert json.loads(with_attempt(with_attempt(raw, 3), 1)) == _read(sample)


@every_sample
def test_a_sample_fits_the_schema_of_its_type(sample: Path) -> None:
    written = _read(sample)
    model = BODIES[written["header"]["type"]]
    if decode(sample.read_bytes()).header.major < newest_major(model):
        return
    schema = message_schema(model)
    checker = Draft202012Validator.FORMAT_CHECKER

    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema, format_checker=checker).validate(written)


@every_sample
def test_a_sample_of_this_very_version_shows_every_field(sample: Path) -> None:
    # A field of a later minor is missing in an older sample for ever, and that is right.
    written = _read(sample)
    model = BODIES[written["header"]["type"]]

    if written["header"]["version"] == model.version:
        assert set(written["body"]) == set(model.model_fields)
