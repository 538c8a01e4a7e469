"""How a delivery is signed, when it is tried again, and what its receiver needs to know."""

import hashlib
import hmac
import json
from uuid import UUID, uuid4

import pytest

from services.ingest.api.webhooks import RECEIVING
from services.ingest.domain.webhooks import (
    BACKOFF_S_MAX,
    Answer,
    Claimed,
    Secrets,
    judged,
    signature,
    written,
)
from tests.fakes.clock import NOON

OURS = Secrets("a secret of at least 32 characters")
WEBHOOK = UUID(int=7)


def _claimed(version: int, *, overlaps: bool) -> Claimed:
    return Claimed(
        uuid4(), WEBHOOK, uuid4(), "document.ended", "{}", 0, 1, "", version, overlaps
    )


def test_a_signature_covers_the_time_and_the_body() -> None:
    signed = signature(["secret"], NOON, '{"a":1}')

    seconds = int(NOON.timestamp())
    told = f"{seconds}.".encode() + b'{"a":1}'
    expected = hmac.new(b"secret", told, hashlib.sha256).hexdigest()
    assert signed == f"t={seconds},v1={expected}"


def test_each_endpoint_and_each_version_has_a_secret_of_its_own() -> None:
    secrets = {
        OURS.secret(WEBHOOK, 1),
        OURS.secret(WEBHOOK, 2),
        OURS.secret(UUID(int=8), 1),
        Secrets("another secret of ours, as long").secret(WEBHOOK, 1),
    }

    assert len(secrets) == 4
    assert OURS.secret(WEBHOOK, 1) == OURS.secret(WEBHOOK, 1)
    assert all(one.startswith("paperline_webhook_") and len(one) == 61 for one in secrets)


def test_while_secrets_overlap_both_of_them_sign() -> None:
    newest, before = OURS.secret(WEBHOOK, 3), OURS.secret(WEBHOOK, 2)

    assert OURS.of(_claimed(3, overlaps=True)) == [newest, before]
    assert OURS.of(_claimed(3, overlaps=False)) == [newest]
    assert OURS.of(_claimed(1, overlaps=True)) == [OURS.secret(WEBHOOK, 1)]
    both = signature([newest, before], NOON, "{}")
    assert both.count("v1=") == 2


def test_the_documented_receiver_believes_us_and_nobody_else() -> None:
    code = RECEIVING.partition("```python")[2].partition("```")[0]
    receiver: dict[str, object] = {}
    exec(code, receiver)  # noqa: S102 -- what the description of the API shows
    verify = receiver["verify"]
    assert callable(verify)
    body, now = b'{"a":1}', NOON.timestamp()
    signed = signature(["new", "old"], NOON, body.decode())

    assert verify("new", signed, body, now)
    assert verify("old", signed, body, now)
    assert not verify("another", signed, body, now)
    assert not verify("new", signed, b'{"a":2}', now)
    assert not verify("new", signed, body, now + 301)
    assert not verify("new", signed.replace("t=1", "t=2", 1), body, now)


def test_a_body_names_what_happened_and_where_to_look() -> None:
    fact_id = uuid4()

    body = json.loads(written("document.ended", fact_id, NOON, {"document_id": "1"}))

    assert body == {
        "id": str(fact_id),
        "type": "document.ended",
        "occurred_at": "2026-03-14T12:00:00+00:00",
        "data": {"document_id": "1"},
    }


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_success_settles_a_delivery(status: int) -> None:
    settlement = judged(Answer(0.1, status), 1, attempts_max=3, chance=0)

    assert (settlement.outcome, settlement.state) == ("delivered", "delivered")


@pytest.mark.parametrize(
    "status", [None, 100, 301, 302, 308, 400, 401, 404, 409, 429, 500, 503]
)
def test_anything_else_is_tried_again_until_it_is_given_up(status: int | None) -> None:
    answer = Answer(0.1, status, error=None if status else "no answer")

    again = judged(answer, 2, attempts_max=3, chance=0)
    last = judged(answer, 3, attempts_max=3, chance=0)

    assert (again.outcome, again.state, again.retry_in_s) == ("retried", "pending", 20)
    assert (last.outcome, last.state, last.retry_in_s) == ("given_up", "failed", None)


def test_who_is_gone_is_not_asked_again() -> None:
    settlement = judged(Answer(0.1, 410), 1, attempts_max=3, chance=0)

    assert (settlement.outcome, settlement.state) == ("gone", "failed")


def test_fourteen_attempts_take_about_a_day() -> None:
    def waits(chance: float) -> list[float]:
        answer = Answer(0.1, 500)
        found = [judged(answer, n, attempts_max=14, chance=chance) for n in range(1, 14)]
        return [one.retry_in_s or 0 for one in found]

    assert waits(0)[:4] == [10, 20, 40, 80]
    assert max(waits(0)) == BACKOFF_S_MAX
    assert 17 < sum(waits(0)) / 3600 < sum(waits(1)) / 3600 < 27
    assert waits(1)[0] == 15


@pytest.mark.parametrize(
    ("status", "asked_s", "waits_s"),
    [(503, 3600, 3600), (429, 60, 60), (503, 1, 10), (500, 3600, 10), (503, 10**6, 21_600)],
)
def test_a_receiver_may_ask_for_more_time_within_reason(
    status: int, asked_s: float, waits_s: float
) -> None:
    answer = Answer(0.1, status, retry_after_s=asked_s)

    assert judged(answer, 1, attempts_max=3, chance=0).retry_in_s == waits_s
