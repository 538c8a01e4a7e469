"""Answers to whoever handed a message in: where they may go, and how they are sent.

A reply address comes from outside, and the default exchange reaches every queue by its name:
without this fence a sender could have us write into somebody's work queue. Direct reply-to is
refused too. A forged or outdated token of it makes the broker close the connection that
answers, and the relay would try that row for ever.
"""

import re
from datetime import datetime

from shared.bus.frames import Outgoing
from shared.bus.headers import CORRELATION, REPLY_TO, TRACE_HEADERS, Headers
from shared.contracts.body import Answer
from shared.contracts.envelope import encode
from shared.contracts.identity import new_id
from shared.topology.queues import DEFAULT_EXCHANGE, REPLY_QUEUES

# What the broker names by itself, and the one prefix that no queue of the plan begins with.
_OF_A_SENDER = re.compile(rf"({'|'.join(map(re.escape, REPLY_QUEUES))})[A-Za-z0-9._-]{{1,200}}")


def is_a_senders_own(queue: str) -> bool:
    return _OF_A_SENDER.fullmatch(queue) is not None


def answer_message(answer: Answer, asked: Headers, *, now: datetime) -> Outgoing:
    """`asked` are the headers of what is answered; they hold a reply address."""
    headers = {name: asked[name] for name in (CORRELATION, *TRACE_HEADERS) if name in asked}
    return Outgoing(
        exchange=DEFAULT_EXCHANGE,
        routing_key=asked[REPLY_TO],
        body=encode(
            answer,
            job_id=new_id(),
            created_at=now,
            traceparent=headers.get(TRACE_HEADERS[0]),
        ),
        type=answer.type,
        headers=headers,
        correlation_id=headers.get(CORRELATION, ""),
    )
