"""A message as a row of the outbox: complete, so that the relay never looks into it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.bus.frames import Outgoing
from shared.bus.headers import CORRELATION, RUN, TRACE_HEADERS, Headers
from shared.bus.jobs import Job
from shared.contracts.body import Body, DocumentBody, Fact, Priority
from shared.contracts.envelope import MESSAGE_BYTES_MAX, encode
from shared.contracts.identity import new_id
from shared.observability.tracing import carrier
from shared.topology.queues import DEFAULT_EXCHANGE, destination


@dataclass(frozen=True, slots=True)
class OutboxRow:
    priority: int
    exchange: str
    routing_key: str
    type: str
    headers: Headers
    body: bytes

    @classmethod
    def of(cls, message: Outgoing) -> "OutboxRow":
        return cls(
            priority=message.priority,
            exchange=message.exchange,
            routing_key=message.routing_key,
            type=message.type,
            headers=message.headers,
            body=message.body,
        )

    @property
    def is_answer(self) -> bool:
        return self.exchange == DEFAULT_EXCHANGE

    def outgoing(self) -> Outgoing:
        return Outgoing(
            exchange=self.exchange,
            routing_key=self.routing_key,
            body=self.body,
            type=self.type,
            headers=self.headers,
            priority=self.priority,
            correlation_id=self.headers.get(CORRELATION, ""),
        )


def row_for(
    body: Body, *, cause: Job[Body] | None, job_id: UUID | None, created_at: datetime
) -> OutboxRow:
    """The message that says this, in the name of its cause: same run, same trace."""
    headers = _headers(cause)
    if isinstance(body, Fact) and body.cause_id is None and cause is not None:
        body = body.model_copy(update={"cause_id": cause.job_id})
    encoded = encode(
        body,
        job_id=job_id or new_id(),
        created_at=created_at,
        traceparent=headers.get(TRACE_HEADERS[0]),
    )
    if len(encoded) > MESSAGE_BYTES_MAX:
        raise ValueError(f"{body.type} of {len(encoded)} bytes: larger data travels by key")
    to = destination(type(body))
    priority = body.priority if isinstance(body, DocumentBody) else Priority.NORMAL
    return OutboxRow(int(priority), to.exchange, to.routing_key, body.type, headers, encoded)


def columns(rows: Sequence[OutboxRow]) -> tuple[list[object], ...]:
    """As the parallel arrays that one INSERT unnests."""
    return (
        [row.priority for row in rows],
        [row.exchange for row in rows],
        [row.routing_key for row in rows],
        [row.type for row in rows],
        [json.dumps(row.headers) for row in rows],
        [row.body for row in rows],
    )


def _headers(cause: Job[Body] | None) -> dict[str, str]:
    headers = carrier()
    if cause is None:
        return headers
    if cause.traceparent:
        headers[TRACE_HEADERS[0]] = cause.traceparent
    if cause.run:
        headers[RUN] = str(cause.run)
    return headers
