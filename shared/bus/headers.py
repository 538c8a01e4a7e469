"""The names of our own AMQP headers: few, all here, and nothing else survives a republish.

A message sent again is built anew from its body, these headers, its trace and its priority.
Copying the rest would copy `x-death` too, and the broker drops what it takes for a
dead-letter cycle.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

RUN = "paperline-run"
SINCE = "paperline-since"
DEFERRALS = "paperline-deferrals"
REPLAY = "paperline-replay"
# Where the sender wants to be answered, and under which id of its own.
REPLY_TO = "paperline-reply-to"
CORRELATION = "paperline-correlation-id"

DEAD_REASON = "paperline-dead-reason"
DEAD_CATEGORY = "paperline-dead-category"
DEAD_EXCEPTION = "paperline-dead-exception"
DEAD_MESSAGE = "paperline-dead-message"
DEAD_FINGERPRINT = "paperline-dead-fingerprint"
DEAD_ATTEMPTS = "paperline-dead-attempts"
DEAD_FIRST_AT = "paperline-dead-first-at"
DEAD_LAST_AT = "paperline-dead-last-at"
DEAD_QUEUE = "paperline-dead-queue"
DEAD_HEADERS = frozenset(
    {
        DEAD_REASON,
        DEAD_CATEGORY,
        DEAD_EXCEPTION,
        DEAD_MESSAGE,
        DEAD_FINGERPRINT,
        DEAD_ATTEMPTS,
        DEAD_FIRST_AT,
        DEAD_LAST_AT,
        DEAD_QUEUE,
    }
)
TRACE_HEADERS = ("traceparent", "tracestate")

CARRIED = DEAD_HEADERS | {
    RUN,
    SINCE,
    DEFERRALS,
    REPLAY,
    REPLY_TO,
    CORRELATION,
    *TRACE_HEADERS,
}

# What all of them may come to: headers beyond a frame close the connection for everybody.
HEADER_BYTES_MAX = 8 * 1024
TEXT_BYTES_MAX = 1000
# As much as a short string of AMQP holds, which some of them become.
VALUE_BYTES_MAX = 255
LONGER_VALUES = {DEAD_MESSAGE: TEXT_BYTES_MAX, "tracestate": 512}
DIGITS_MAX = 9

Headers = Mapping[str, str]


def ours(received: Mapping[str, Any] | None) -> dict[str, str]:
    """What of a received message's headers goes on when it is sent again."""
    return {
        name: as_text(value, bytes_max=LONGER_VALUES.get(name, VALUE_BYTES_MAX))
        for name, value in (received or {}).items()
        if name in CARRIED
    }


def as_text(value: object, *, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """Text that every frame and table on the way can hold: short, no NUL, no half character.

    One that could not be encoded would stop the relay at its row, and everything behind it."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    clean = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    return clean[:bytes_max].decode("utf-8", "ignore")


def as_count(headers: Mapping[str, str], name: str) -> int:
    """A header's number; anything unreadable or negative counts as absent."""
    text = headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX else 0


def as_moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    # Without a zone it cannot be compared, so it is not one of ours.
    return moment if moment and moment.tzinfo else None
