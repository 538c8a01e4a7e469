"""What owners are told over HTTP: which events, signed how, and how often it is tried.

A delivery says that something happened and where to look, never what an invoice says, so
there is nothing in it to erase with a document. It may come twice or late, never unsigned.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

PING = "webhook.ping"
EVENTS = ("document.ended", "document.finalised", "review.decided", "batch.completed")
STATES = ("pending", "sending", "delivered", "failed")
DESCRIPTION_CHARS_MAX = 200

BACKOFF_BASE_S = 10.0
BACKOFF_S_MAX = 6 * 3600.0
# A broken endpoint is known by more than one bad hour and by more than one bad answer.
FAILURES_MIN = 20
RESPONSE_CHARS_MAX = 1024

OK, MULTIPLE_CHOICES, GONE, TOO_MANY, UNAVAILABLE = 200, 300, 410, 429, 503

DisabledReason = Literal["gone", "failing"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something an owner may want to be told; one delivery for each endpoint that does."""

    owner_id: str
    event: str
    # The same fact told again is the same notice.
    fact_id: UUID
    body: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """An endpoint as its owner sees it. Names are those of the columns."""

    webhook_id: UUID
    owner_id: str
    url: str
    events: Sequence[str]
    description: str
    enabled: bool
    disabled_reason: DisabledReason | None
    secret_version: int
    overlap_until: datetime | None
    failures: int
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class NewWebhook:
    webhook_id: UUID
    owner_id: str
    url: str
    events: Sequence[str]
    description: str = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an owner changes; None leaves it as it is."""

    url: str | None = None
    events: Sequence[str] | None = None
    description: str | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A line of the log. Names are those of the columns."""

    delivery_id: UUID
    webhook_id: UUID
    event: str
    body: str
    state: str
    due_at: datetime | None
    run: int
    attempt: int
    created_at: datetime
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Attempt:
    run: int
    attempt: int
    at: datetime
    duration_s: float
    status_code: int | None
    error: str | None
    response: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery in the hands of one sender, until its lease ends."""

    delivery_id: UUID
    webhook_id: UUID
    lease_id: UUID
    event: str
    body: str
    run: int
    attempt: int
    url: str
    secret_version: int
    # Whether the secret before is signed with too.
    overlaps: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one attempt: a status, or the reason why there is none."""

    duration_s: float
    status_code: int | None = None
    error: str | None = None
    response: str = ""
    retry_after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Settlement:
    """What becomes of the delivery; `retry_in_s` only where it is tried again."""

    outcome: Literal["delivered", "retried", "given_up", "gone"]
    retry_in_s: float | None = None

    @property
    def state(self) -> str:
        if self.outcome == "delivered":
            return "delivered"
        return "pending" if self.outcome == "retried" else "failed"


class Secrets:
    """Each endpoint's secret, made anew from ours whenever it is needed: none is stored."""

    def __init__(self, ours: str) -> None:
        self._ours = ours.encode()

    def secret(self, webhook_id: UUID, version: int) -> str:
        told = b"paperline webhook\x00" + webhook_id.bytes + version.to_bytes(8)
        digest = hmac.digest(self._ours, told, hashlib.sha256)
        return f"paperline_webhook_{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"

    def of(self, claimed: Claimed) -> list[str]:
        """The newest first; while secrets overlap, the one before it too."""
        versions = [claimed.secret_version]
        if claimed.overlaps and claimed.secret_version > 1:
            versions.append(claimed.secret_version - 1)
        return [self.secret(claimed.webhook_id, version) for version in versions]


def signature(secrets: Sequence[str], moment: datetime, body: str) -> str:
    """Over the time as well: an old delivery cannot be sent again by whoever recorded it."""
    seconds = int(moment.timestamp())
    told = f"{seconds}.{body}".encode()
    sealed = [hmac.new(secret.encode(), told, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={seconds}", *(f"v1={one}" for one in sealed)])


def written(event: str, fact_id: UUID, occurred_at: datetime, said: Mapping[str, Any]) -> str:
    """The body of a delivery; every attempt sends the same bytes."""
    document = {
        "id": str(fact_id),
        "type": event,
        "occurred_at": occurred_at.isoformat(),
        "data": said,
    }
    return json.dumps(document, separators=(",", ":"))


def judged(answer: Answer, attempt: int, *, attempts_max: int, chance: float) -> Settlement:
    """`chance` between 0 and 1 spreads what failed together."""
    status = answer.status_code or 0
    if OK <= status < MULTIPLE_CHOICES:
        return Settlement("delivered")
    if status == GONE:
        return Settlement("gone")
    if attempt >= attempts_max:
        return Settlement("given_up")
    backoff_s = min(BACKOFF_BASE_S * 2.0 ** min(attempt - 1, 30), BACKOFF_S_MAX)
    backoff_s += chance * backoff_s / 2
    # The server's own hint is a floor, within reason.
    asked_s = answer.retry_after_s if status in (TOO_MANY, UNAVAILABLE) else 0.0
    return Settlement("retried", max(backoff_s, min(asked_s, BACKOFF_S_MAX)))
