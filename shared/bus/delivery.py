"""A delivery, opened: from the bytes the broker handed over to a job a handler can do.

Nothing in a message is trusted before it has been read here; what cannot be read becomes the
delivery's error, and `decide()` says what happens to it like to any other.
"""

from dataclasses import dataclass
from uuid import UUID

from aiormq.abc import DeliveredMessage
from pamqp.commands import Basic

from shared.bus.answering import is_a_senders_own
from shared.bus.headers import (
    CORRELATION,
    REPLAY,
    REPLY_TO,
    SINCE,
    TRACE_HEADERS,
    Headers,
    ours,
)
from shared.bus.jobs import Job
from shared.contracts.body import Body, Priority
from shared.contracts.envelope import (
    CONTENT_TYPE,
    Envelope,
    Unacceptable,
    Undecodable,
    decode,
    open_body,
)
from shared.topology.queues import WorkQueue


@dataclass(slots=True, eq=False)
class Delivery:
    queue: WorkQueue
    tag: int
    redelivered: bool
    raw: bytes
    headers: Headers
    priority: int
    envelope: Envelope | None = None
    job: Job[Body] | None = None
    error: Exception | None = None
    # Its handler has begun, and a redelivered one has been counted for that.
    started: bool = False

    @property
    def job_id(self) -> UUID | None:
        return self.envelope.header.job_id if self.envelope else None

    @property
    def type(self) -> str:
        # Of a message that cannot be read, not even the type is worth a label of its own.
        return self.envelope.header.type if self.envelope else "undecodable"

    @property
    def since(self) -> str | None:
        return self.headers.get(SINCE)


def open_delivery(message: DeliveredMessage, queue: WorkQueue) -> Delivery:
    properties = message.header.properties
    headers = _received(properties, queue)
    reply_to = headers.get(REPLY_TO)
    if reply_to is not None and not is_a_senders_own(reply_to):
        # Not kept: a replay would only be refused again.
        del headers[REPLY_TO]
    delivery = Delivery(
        queue=queue,
        tag=message.delivery_tag or 0,
        redelivered=bool(message.redelivered),
        raw=message.body,
        headers=headers,
        priority=properties.priority or Priority.NORMAL,
    )
    try:
        delivery.envelope = decode(message.body)
        _check_reply_to(reply_to)
        _check_content_type(properties.content_type)
        delivery.job = _job(delivery, delivery.envelope)
    except (Undecodable, Unacceptable) as error:
        delivery.error = error
    return delivery


def _received(properties: Basic.Properties, queue: WorkQueue) -> dict[str, str]:
    """Its headers as they go on. What is asked for by a property stands there after a wait."""
    headers = ours(properties.headers)
    if not queue.answers:
        return {k: v for k, v in headers.items() if k not in (REPLY_TO, CORRELATION)}
    asked = {REPLY_TO: properties.reply_to, CORRELATION: properties.correlation_id}
    return headers | ours({name: value for name, value in asked.items() if value})


def _check_reply_to(reply_to: str | None) -> None:
    if reply_to is not None and not is_a_senders_own(reply_to):
        raise Unacceptable("invalid_reply_to", f"{reply_to!r} is no queue of a sender")


def _check_content_type(content_type: str | None) -> None:
    if content_type != CONTENT_TYPE:
        raise Unacceptable("unsupported_content_type", repr(content_type))


def _job(delivery: Delivery, envelope: Envelope) -> Job[Body]:
    body = open_body(envelope)
    if type(body) not in delivery.queue.takes:
        raise Unacceptable("unknown_type", f"{delivery.queue.name} does not take {body.type}")
    return Job(
        body=body,
        job_id=envelope.header.job_id,
        queue=delivery.queue.name,
        attempt=envelope.header.attempt,
        priority=delivery.priority,
        headers=_readable(delivery.headers),
        traceparent=delivery.headers.get(TRACE_HEADERS[0]),
    )


def _readable(headers: Headers) -> Headers:
    # A stranger may write anything into a replay header; ours are ids.
    replay = headers.get(REPLAY)
    if replay is None or _is_id(replay):
        return headers
    return {name: value for name, value in headers.items() if name != REPLAY}


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
