"""The system's messages as an AsyncAPI 3 document, from the table, the plan and the models.

Generated, so that it cannot describe a queue that nobody declares or a field that nobody
reads. A channel that is a queue is where somebody listens; one that is a routing key is where
somebody publishes. Answers go to queues of the senders, which stand in no plan.
"""

from collections.abc import Iterable
from inspect import getdoc
from typing import Any

from shared.contracts.answers import ANSWERS
from shared.contracts.body import Body
from shared.contracts.envelope import CONTENT_TYPE
from shared.contracts.json_schema import message_schema
from shared.contracts.registry import BODIES
from shared.topology.examples import example_of
from shared.topology.plan import Exchange, Plan
from shared.topology.queues import (
    DEFAULT_EXCHANGE,
    INGEST,
    SUBMIT,
    UNROUTABLE,
    WORK_QUEUES,
    Destination,
    dead_queue,
    destination,
)

VERSION = "3.0.0"
BINDING_VERSION = "0.3.0"
PERSISTENT = 2
ANSWERED = "answers"

Part = dict[str, Any]

_DESCRIPTION = (
    "Five services and RabbitMQ. Orders go to one queue by its name, facts to whoever cares by"
    " their type; programs outside publish to the exchange `ingest` and nowhere else. Waits are"
    " spent on a ladder of queues that belongs to no channel. Who gives `reply_to` is answered."
)


def document(plan: Plan) -> Part:
    exchanges = {exchange.name: exchange for exchange in plan.exchanges}
    channels = {**_published(exchanges), **_consumed(), ANSWERED: _answers()}
    return {
        "asyncapi": VERSION,
        "info": {"title": "Paperline", "version": "1.0.0", "description": _DESCRIPTION},
        "defaultContentType": CONTENT_TYPE,
        "channels": channels,
        "operations": {
            _operation_name(name, channel): _operation(name, channel)
            for name, channel in channels.items()
        },
        "components": {
            "messages": {body.type: _message(body) for body in BODIES.values()},
            "schemas": {_schema_name(body): message_schema(body) for body in BODIES.values()},
        },
    }


def _published(exchanges: dict[str, Exchange]) -> Part:
    doors = {
        f"{INGEST}.{body.type}": (Destination(INGEST, body.type), body) for body in SUBMIT.takes
    }
    ours = (body for body in _planned() if body not in SUBMIT.takes)
    to = {body: destination(body) for body in ours}
    sent = {f"{one.exchange}.{body.type}": (one, body) for body, one in to.items()}
    return {
        name: _exchange_channel(one.routing_key, exchanges[one.exchange], body)
        for name, (one, body) in {**doors, **sent}.items()
    }


def _consumed() -> Part:
    work = {queue.name: _queue_channel(queue.name, queue.takes) for queue in WORK_QUEUES}
    dead = {
        dead_queue(queue.name): _queue_channel(dead_queue(queue.name), queue.takes)
        for queue in WORK_QUEUES
    }
    return {**work, **dead, UNROUTABLE: _queue_channel(UNROUTABLE, _planned())}


def _planned() -> Iterable[type[Body]]:
    return (body for body in BODIES.values() if body not in ANSWERS)


def _answers() -> Part:
    """Whoever asks names the address, in a message."""
    exchange = {"name": DEFAULT_EXCHANGE, "type": "default"}
    channel = _channel("", ANSWERS, {"is": "routingKey", "exchange": exchange})
    return {**channel, "address": None}


def _exchange_channel(routing_key: str, exchange: Exchange, body: type[Body]) -> Part:
    binding = {
        "is": "routingKey",
        "exchange": {
            "name": exchange.name,
            "type": exchange.kind,
            "durable": True,
            "autoDelete": False,
        },
    }
    return _channel(routing_key, [body], binding)


def _queue_channel(name: str, takes: Iterable[type[Body]]) -> Part:
    queue = {"name": name, "durable": True, "exclusive": False, "autoDelete": False}
    return _channel(name, takes, {"is": "queue", "queue": queue})


def _channel(address: str, takes: Iterable[type[Body]], binding: Part) -> Part:
    return {
        "address": address,
        "messages": {
            body.type: {"$ref": f"#/components/messages/{body.type}"} for body in takes
        },
        "bindings": {"amqp": {**binding, "bindingVersion": BINDING_VERSION}},
    }


_ANSWERING = frozenset(queue.name for queue in WORK_QUEUES if queue.answers)


def _reply() -> Part:
    return {
        "address": {"location": "$message.header#/replyTo"},
        "channel": {"$ref": f"#/channels/{ANSWERED}"},
    }


def _operation_name(channel_name: str, channel: Part) -> str:
    return f"{_action(channel)}.{channel_name}"


def _action(channel: Part) -> str:
    return "receive" if channel["bindings"]["amqp"]["is"] == "queue" else "send"


def _operation(channel_name: str, channel: Part) -> Part:
    action = _action(channel)
    binding: Part = (
        {"ack": True}
        if action == "receive"
        else {"deliveryMode": PERSISTENT, "mandatory": True, "timestamp": True}
    )
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel_name}"},
        "messages": [
            {"$ref": f"#/channels/{channel_name}/messages/{type_}"}
            for type_ in channel["messages"]
        ],
        **({"reply": _reply()} if channel_name in _ANSWERING else {}),
        "bindings": {"amqp": {**binding, "bindingVersion": BINDING_VERSION}},
    }


def _message(body: type[Body]) -> Part:
    return {
        "name": body.type,
        "title": body.__name__,
        # A class without words of its own inherits its parents', which fit less well.
        **({"summary": getdoc(body)} if body.__doc__ else {}),
        "contentType": CONTENT_TYPE,
        "payload": {"$ref": f"#/components/schemas/{_schema_name(body)}"},
        "examples": [{"payload": example_of(body)}],
        "bindings": {"amqp": {"messageType": body.type, "bindingVersion": BINDING_VERSION}},
    }


def _schema_name(body: type[Body]) -> str:
    return f"{body.type}.v{body.version}"
