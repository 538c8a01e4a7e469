"""What travels between the services as a page for people: exchanges, queues, fields, examples.

Made from the AsyncAPI document and the table of queues that this process itself runs with, so
that it tells of the system in front of the reader and not of another version.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from starlette.responses import Response

from shared.topology.asyncapi import document
from shared.topology.plan import plan
from shared.topology.queues import WORK_QUEUES, WorkQueue
from shared.web.guard import any_caller, guarded_router
from shared.web.markup import (
    answer_page,
    as_json,
    joined,
    listed,
    page,
    pre,
    prose,
    table,
    text,
    type_of,
)

Json = dict[str, Any]

router = guarded_router()

TITLE = "Messages"
DEAD_SUFFIX = ".dead"
FATES = (
    "What fails for a reason that may pass waits on the ladder of delays, the first time as "
    "long as its queue says and then twice as long each time. What is given up lies in the "
    "queue of the same name with “.dead” behind it, where the monitor fetches it: it is "
    "readable and can be sent back."
)


@cache
def described() -> Json:
    return document(plan())


@router.get("/asyncapi.json", openapi_extra=any_caller(), include_in_schema=False)
async def describe_messages() -> Json:
    return described()


@router.get("/docs/messages", openapi_extra=any_caller(), include_in_schema=False)
async def show_messages() -> Response:
    return answer_page(render(described()))


def render(found: Json, queues: Sequence[WorkQueue] = WORK_QUEUES) -> str:
    about = (
        f"<p>{prose(found['info']['description'])}</p>"
        '<p>For programs: <a href="/asyncapi.json">/asyncapi.json</a>. Over HTTP: '
        '<a href="/docs">the API of this service</a>.</p>'
    )
    messages: Json = found["components"]["messages"]
    entries = [("exchanges", "Exchanges"), ("queues", "Queues")]
    entries += [(_anchor(name), f"<code>{text(name)}</code>") for name in sorted(messages)]
    parts = [
        _exchanges(found["channels"]),
        _queues(queues),
        *(_message(messages[name], found) for name in sorted(messages)),
    ]
    return page(TITLE, about, listed("Messages", entries), parts)


def _exchanges(channels: Json) -> str:
    rows = []
    for channel in _published(channels):
        exchange = channel["bindings"]["amqp"]["exchange"]
        [name, *_] = channel["messages"]
        taken = _takers(channels, name) or "the queue of who asked"
        key = channel["address"] or "as reply_to says"
        rows.append(
            (
                f"<code>{text(exchange['name'] or '(default)')}</code> {exchange['type']}",
                f"<code>{text(key)}</code>",
                joined(f"{_link(one)} " for one in channel["messages"]),
                taken,
            )
        )
    heads = ("Exchange", "Routing key", "Message", "Arrives in")
    return f'<section><h2 id="exchanges">Exchanges</h2>{table("Sent", heads, rows)}</section>'


def _queues(queues: Sequence[WorkQueue]) -> str:
    rows = [
        (
            f"<code>{text(one.name)}</code>",
            joined(f"{_link(body.type)} " for body in one.takes),
            _handled(one),
            f"{one.attempts_max}, after {one.backoff_base_s:g}\u00a0s",
            f"{one.timeout_s:g}\u00a0s; {one.patience_s / 3600:g}\u00a0h",
            "5 levels" if one.priority_max else "",
        )
        for one in queues
    ]
    heads = ("Queue", "Takes", "Handled", "Attempts", "Time; patience", "Priorities")
    return (
        f'<section><h2 id="queues">Queues</h2><p>{text(FATES)}</p>'
        f"{table('Taken from', heads, rows)}</section>"
    )


def _handled(queue: WorkQueue) -> str:
    if queue.slots:
        return f"{queue.slots} at once"
    pace = f", every {queue.pace_s:g}\u00a0s while many come" if queue.pace_s else ""
    return f"{queue.batch} a batch{pace}"


def _message(message: Json, found: Json) -> str:
    name = message["name"]
    schema = found["components"]["schemas"][message["payload"]["$ref"].rpartition("/")[2]]
    version = message["payload"]["$ref"].rpartition(".v")[2]
    rows = list(_fields(schema["properties"]["body"], ""))
    sent = [
        f"{one['bindings']['amqp']['exchange']['name'] or 'the default exchange'}"
        for one in _published(found["channels"])
        if name in one["messages"]
    ]
    taken = _takers(found["channels"], name) or "who asked"
    told = f"Sent to {' and '.join(sorted({*sent}))}." if sent else ""
    return (
        f'<section><h2 id="{_anchor(name)}"><code>{text(name)}</code> {text(version)}</h2>'
        f"<p>{text(message.get('summary', ''))}</p>"
        f"<p class=who>{text(told)} Taken by {taken}.</p>"
        f"{table(f'Body of {name}', ('Field', 'Type'), rows)}"
        f"<h3>For example</h3>{pre(as_json(message['examples'][0]['payload']))}</section>"
    )


def _fields(schema: Json, prefix: str) -> Iterator[tuple[str, str]]:
    required = schema.get("required", [])
    for name, one in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield (
            f"<code>{text(path)}</code>" + (", required" if name in required else ""),
            type_of(one),
        )
        for inner in (one, *one.get("anyOf", []), one.get("items", {})):
            yield from _fields(inner, f"{path}[]." if inner is one.get("items") else f"{path}.")


def _published(channels: Json) -> Iterator[Json]:
    return (one for one in channels.values() if one["bindings"]["amqp"]["is"] == "routingKey")


def _takers(channels: Json, name: str) -> str:
    taking = [
        queue
        for queue, one in channels.items()
        if one["bindings"]["amqp"]["is"] == "queue"
        and name in one["messages"]
        and not queue.endswith((DEAD_SUFFIX, "unroutable"))
    ]
    return ", ".join(f"<code>{text(one)}</code>" for one in taking)


def _link(name: str) -> str:
    return f'<a href="#{_anchor(name)}"><code>{text(name)}</code></a>'


def _anchor(name: str) -> str:
    return text(f"message-{name}")
