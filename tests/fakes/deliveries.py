"""Deliveries as the client hands them over, and a channel that remembers its settlements."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast
from uuid import UUID

from aiormq.abc import AbstractChannel, DeliveredMessage
from pamqp.commands import Basic
from pamqp.header import ContentHeader

from shared.bus.delivery import Delivery, open_delivery
from shared.contracts.body import Body
from shared.contracts.envelope import CONTENT_TYPE, encode, with_attempt
from shared.contracts.identity import new_id
from shared.topology.queues import WorkQueue
from tests.builders import extract_document
from tests.fakes.clock import NOON

JOB_ID = UUID("0197c1d2-0000-7000-8000-000000000001")

_tags = count(1)


def envelope(
    body: Body | None = None, *, job_id: UUID | None = None, attempt: int = 1
) -> bytes:
    """A message's bytes; an order to extract, unless a test is about something else."""
    raw = encode(
        body or extract_document(),
        job_id=job_id or new_id(),
        created_at=NOON,
        traceparent=None,
    )
    return with_attempt(raw, attempt)


def raw_with(header: Mapping[str, Any] | None = None, **parts: object) -> bytes:
    """An envelope as a stranger would write it, different only where a test says so."""
    known = {
        "job_id": str(JOB_ID),
        "type": "document.extract",
        "version": "1.0",
        "created_at": "2026-03-14T12:00:00Z",
        "attempt": 1,
    }
    return json.dumps({"header": known | dict(header or {}), "body": {}, **parts}).encode()


def raw_of(body: Body, *, version: str = "1.0", **extra: object) -> bytes:
    return raw_with(
        {"type": body.type, "version": version}, body=body.model_dump(mode="json") | extra
    )


def message(
    raw: bytes,
    *,
    headers: Mapping[str, Any] | None = None,
    redelivered: bool = False,
    priority: int | None = 3,
    content_type: str | None = CONTENT_TYPE,
    asked: tuple[str, str] | None = None,
) -> DeliveredMessage:
    """`asked`: where a sender wants to be answered, and under which id."""
    reply_to, correlation_id = asked or (None, None)
    properties = Basic.Properties(
        content_type=content_type,
        headers=dict(headers or {}),
        priority=priority,
        reply_to=reply_to,
        correlation_id=correlation_id,
    )
    return DeliveredMessage(
        delivery=Basic.Deliver(delivery_tag=next(_tags), redelivered=redelivered),
        header=ContentHeader(body_size=len(raw), properties=properties),
        body=raw,
        channel=FakeChannel().as_channel(),
    )


def delivery(queue: WorkQueue, raw: bytes | None = None, **how: Any) -> Delivery:  # noqa: ANN401
    return open_delivery(message(envelope() if raw is None else raw, **how), queue)


@dataclass(slots=True)
class FakeChannel:
    """Each acknowledgement as its tag and whether it covers the lower ones."""

    acks: list[tuple[int, bool]] = field(default_factory=list)
    error: Exception | None = None

    async def basic_ack(self, tag: int, *, multiple: bool = False, wait: bool = True) -> None:
        if self.error is not None:
            raise self.error
        self.acks.append((tag, multiple))

    def as_channel(self) -> AbstractChannel:
        # The one method that settling uses; the client's own class has a hundred.
        return cast(AbstractChannel, self)
