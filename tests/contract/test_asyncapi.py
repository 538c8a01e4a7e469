"""The committed AsyncAPI document is the generated one, and hangs together."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shared.contracts.envelope import decode, open_body
from shared.contracts.registry import BODIES
from shared.topology.asyncapi import ANSWERED, BINDING_VERSION, document
from shared.topology.ladder import RUNGS, rung_name
from shared.topology.plan import plan
from shared.topology.queues import WORK_QUEUES
from tests.contract.freezer import SCHEMAS
from tests.fakes.exchanges import Exchanges
from tests.house.repository import ROOT

COMMITTED = ROOT / "deploy/asyncapi.json"
PLAN = plan()
DOCUMENT = document(PLAN)
CHANNELS: dict[str, Any] = DOCUMENT["channels"]
PUBLISHED = {
    name: one for name, one in CHANNELS.items() if one["bindings"]["amqp"]["is"] == "routingKey"
}
CONSUMED = {name: one for name, one in CHANNELS.items() if name not in PUBLISHED}
# Where an answer goes is said by who asked.
PLANNED = [name for name in CHANNELS if name != ANSWERED]

every_channel = pytest.mark.parametrize("name", CHANNELS)


def test_the_document_is_what_the_table_and_the_models_say() -> None:
    hint = "python -m shared.topology asyncapi > deploy/asyncapi.json"

    assert json.loads(COMMITTED.read_text()) == DOCUMENT, f"write it anew: {hint}"


def test_it_is_of_a_version_that_tools_know() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= set(DOCUMENT["info"])


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            yield from _references(value)
    elif isinstance(node, list):
        for one in node:
            yield from _references(one)


def _resolve(reference: str) -> Any:  # noqa: ANN401 -- any part of the document
    found: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


@pytest.mark.parametrize("reference", sorted(set(_references(DOCUMENT))))
def test_a_reference_leads_somewhere(reference: str) -> None:
    assert reference.startswith("#/")
    assert _resolve(reference)


@pytest.mark.parametrize("name", PLANNED)
def test_a_channel_is_a_queue_or_an_exchange_of_the_plan(name: str) -> None:
    binding = CHANNELS[name]["bindings"]["amqp"]
    exchanges = {one.name: one.kind for one in PLAN.exchanges}

    assert binding["bindingVersion"] == BINDING_VERSION == "0.3.0"
    assert ("queue" in binding) != ("exchange" in binding)
    if binding["is"] == "queue":
        assert binding["queue"]["name"] == CHANNELS[name]["address"] == name
        assert name in {queue.name for queue in PLAN.queues}
    else:
        assert exchanges[binding["exchange"]["name"]] == binding["exchange"]["type"]


def test_every_queue_but_the_ladders_is_a_channel() -> None:
    rungs = {rung_name(level) for level in range(RUNGS)}

    assert set(CONSUMED) == {queue.name for queue in PLAN.queues} - rungs


@pytest.mark.parametrize("name", [name for name in PLANNED if name in PUBLISHED])
def test_what_is_published_arrives_where_it_is_listened_for(name: str) -> None:
    channel = PUBLISHED[name]
    [type_] = channel["messages"]

    reached = Exchanges(PLAN).route(
        channel["bindings"]["amqp"]["exchange"]["name"], channel["address"]
    )

    assert reached
    assert all(type_ in CONSUMED[queue]["messages"] for queue in reached)


@pytest.mark.parametrize("queue", WORK_QUEUES, ids=lambda one: one.name)
def test_only_the_door_answers_and_it_says_where_it_reads_the_address(queue: Any) -> None:  # noqa: ANN401
    reply = DOCUMENT["operations"][f"receive.{queue.name}"].get("reply")

    assert (reply is not None) == (queue.name == "ingest.submit")
    assert CHANNELS[ANSWERED]["address"] is None
    if reply is not None:
        assert reply["address"]["location"] == "$message.header#/replyTo"
        assert reply["channel"] == {"$ref": f"#/channels/{ANSWERED}"}


@pytest.mark.parametrize("queue", WORK_QUEUES, ids=lambda one: one.name)
def test_a_queue_lists_what_it_takes(queue: Any) -> None:  # noqa: ANN401
    takes = {body.type for body in queue.takes}

    assert set(CHANNELS[queue.name]["messages"]) == takes
    assert set(CHANNELS[f"{queue.name}.dead"]["messages"]) == takes


@every_channel
def test_a_channel_has_one_operation_with_all_its_messages(name: str) -> None:
    [operation] = [
        one
        for one in DOCUMENT["operations"].values()
        if one["channel"] == {"$ref": f"#/channels/{name}"}
    ]

    assert operation["action"] == ("receive" if name in CONSUMED else "send")
    assert [_resolve(one["$ref"]) for one in operation["messages"]] == list(
        CHANNELS[name]["messages"].values()
    )
    assert operation["bindings"]["amqp"]["bindingVersion"] == BINDING_VERSION


@pytest.mark.parametrize("type_", DOCUMENT["components"]["messages"])
def test_a_message_is_described_by_the_published_schema(type_: str) -> None:
    message = DOCUMENT["components"]["messages"][type_]
    schema = _resolve(message["payload"]["$ref"])
    file = message["payload"]["$ref"].rpartition("/")[2]

    Draft202012Validator.check_schema(schema)
    published = json.loads((SCHEMAS / f"{file}.json").read_text())
    assert published == {"$schema": published["$schema"], "$id": f"{file}.json"} | schema
    assert message["bindings"]["amqp"]["messageType"] == message["name"] == type_


@pytest.mark.parametrize("type_", DOCUMENT["components"]["messages"])
def test_an_example_of_a_message_is_one(type_: str) -> None:
    message = DOCUMENT["components"]["messages"][type_]
    [example] = [one["payload"] for one in message["examples"]]
    checker = Draft202012Validator.FORMAT_CHECKER

    schema = _resolve(message["payload"]["$ref"])
    Draft202012Validator(schema, format_checker=checker).validate(example)
    body = open_body(decode(json.dumps(example).encode()))

    assert type(body) is BODIES[type_]
    # All of it is shown, but for what another field excludes.
    assert len(type(body).model_fields.keys() - example["body"]) <= 1
