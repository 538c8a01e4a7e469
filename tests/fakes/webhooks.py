"""Endpoints and deliveries in dictionaries, and a courier that answers as it is told.

`tests/conformance/test_webhooks.py` asks the same of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

from services.ingest.domain.webhooks import (
    FAILURES_MIN,
    Answer,
    Attempt,
    Claimed,
    Delivery,
    DisabledReason,
    NewWebhook,
    Notice,
    Settlement,
    Webhook,
    Wishes,
)
from services.ingest.ports.webhooks import Behind
from shared.errors import Retryable
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock


class InMemoryWebhooks:
    """All three ports: what owners ask for, what was told, and what is on its way."""

    def __init__(self, clock: FakeClock) -> None:
        self.rows: dict[UUID, Webhook] = {}
        self.deliveries: dict[UUID, Delivery] = {}
        self.attempts: dict[UUID, list[Attempt]] = {}
        self.told: set[tuple[UUID, str, UUID]] = set()
        # While the database is, nothing can be written down.
        self.away = False
        self._clock = clock
        self._leases: dict[UUID, UUID] = {}

    async def insert_notices(self, unit: Unit, notices: Sequence[Notice]) -> None:
        for one in notices:
            for row in self.rows.values():
                wanted = row.enabled and one.event in row.events
                key = (row.webhook_id, one.event, one.fact_id)
                if wanted and row.owner_id == one.owner_id and key not in self.told:
                    self.told.add(key)
                    self._insert(row.webhook_id, one.event, one.body)

    async def insert_webhook(
        self, unit: Unit, webhook: NewWebhook, *, webhooks_max: int
    ) -> Webhook | None:
        if sum(row.owner_id == webhook.owner_id for row in self.rows.values()) >= webhooks_max:
            return None
        now = self._clock.now() + timedelta(microseconds=len(self.rows))
        row = Webhook(
            webhook.webhook_id,
            webhook.owner_id,
            webhook.url,
            webhook.events,
            webhook.description,
            webhook.enabled,
            disabled_reason=None,
            secret_version=1,
            overlap_until=None,
            failures=0,
            failing_since=None,
            created_at=now,
            updated_at=now,
            revision=1,
        )
        self.rows[row.webhook_id] = row
        return row

    async def list_webhooks(self, owner_id: str | None, page: Behind) -> list[Webhook]:
        rows = sorted(self.rows.values(), key=lambda row: (row.created_at, row.webhook_id))
        return [
            row
            for row in rows
            if owner_id in (None, row.owner_id)
            and (page.at is None or (row.created_at, row.webhook_id) > (page.at, page.id))
        ][: page.limit]

    async def find_webhook(self, webhook_id: UUID, *, owner_id: str | None) -> Webhook | None:
        row = self.rows.get(webhook_id)
        return row if row and owner_id in (None, row.owner_id) else None

    async def change_webhook(
        self,
        unit: Unit,
        webhook_id: UUID,
        wishes: Wishes,
        *,
        owner_id: str | None,
        revision: int,
    ) -> Webhook | None:
        row = await self.find_webhook(webhook_id, owner_id=owner_id)
        if row is None or row.revision != revision:
            return None
        healed = wishes.enabled or wishes.url not in (None, row.url)
        self.rows[webhook_id] = replace(
            row,
            url=row.url if wishes.url is None else wishes.url,
            events=row.events if wishes.events is None else wishes.events,
            description=(row.description if wishes.description is None else wishes.description),
            enabled=row.enabled if wishes.enabled is None else wishes.enabled,
            disabled_reason=row.disabled_reason if wishes.enabled is None else None,
            failures=0 if healed else row.failures,
            failing_since=None if healed else row.failing_since,
            revision=row.revision + 1,
        )
        return self.rows[webhook_id]

    async def rotate_secret(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str, revision: int, overlap_s: float
    ) -> Webhook | None:
        row = await self.find_webhook(webhook_id, owner_id=owner_id)
        if row is None or row.revision != revision:
            return None
        self.rows[webhook_id] = replace(
            row,
            secret_version=row.secret_version + 1,
            overlap_until=self._clock.now() + timedelta(seconds=overlap_s),
            revision=row.revision + 1,
        )
        return self.rows[webhook_id]

    async def delete_webhook(
        self, unit: Unit, webhook_id: UUID, *, owner_id: str | None
    ) -> bool:
        found = await self.find_webhook(webhook_id, owner_id=owner_id) is not None
        if found:
            del self.rows[webhook_id]
        return found

    async def list_deliveries(
        self, webhook_id: UUID, page: Behind, *, state: str | None
    ) -> list[Delivery]:
        rows = sorted(
            self.deliveries.values(),
            key=lambda row: (row.created_at, row.delivery_id),
            reverse=True,
        )
        return [
            row
            for row in rows
            if row.webhook_id == webhook_id
            and state in (None, row.state)
            and (page.at is None or (row.created_at, row.delivery_id) < (page.at, page.id))
        ][: page.limit]

    async def find_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        row = self.deliveries.get(delivery_id)
        return row if row and row.webhook_id == webhook_id else None

    async def list_attempts(self, delivery_id: UUID, *, limit: int) -> list[Attempt]:
        return self.attempts[delivery_id][::-1][:limit]

    async def replay_delivery(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        row = await self.find_delivery(webhook_id, delivery_id)
        if row is None or row.state not in ("delivered", "failed"):
            return None
        now = self._clock.now()
        again = replace(
            row, state="pending", due_at=now, settled_at=None, run=row.run + 1, attempt=0
        )
        self.deliveries[delivery_id] = again
        return again

    async def insert_ping(
        self, webhook_id: UUID, event: str, fact_id: UUID, body: str
    ) -> Delivery:
        return self._insert(webhook_id, event, body)

    async def claim_deliveries(self, *, limit: int) -> list[Claimed]:
        now = self._clock.now()
        due = [
            row
            for row in self.deliveries.values()
            if row.state == "pending"
            and row.due_at is not None
            and row.due_at <= now
            and self.rows[row.webhook_id].enabled
        ]
        return [self._claim(row) for row in due[:limit]]

    async def settle(self, claimed: Claimed, answer: Answer, settlement: Settlement) -> bool:
        if self.away:
            raise Retryable("away", dependency="postgres")
        if self._leases.pop(claimed.delivery_id, None) != claimed.lease_id:
            return False
        now, wait_s = self._clock.now(), settlement.retry_in_s
        self.deliveries[claimed.delivery_id] = replace(
            self.deliveries[claimed.delivery_id],
            state=settlement.state,
            due_at=None if wait_s is None else now + timedelta(seconds=wait_s),
            settled_at=now if wait_s is None else None,
        )
        self.attempts[claimed.delivery_id].append(
            Attempt(
                claimed.run,
                claimed.attempt,
                now,
                answer.duration_s,
                answer.status_code,
                answer.error,
                answer.response,
            )
        )
        self._note(self.rows[claimed.webhook_id], settlement)
        return True

    async def oldest_due(self) -> float:
        return 0.0

    def _note(self, row: Webhook, settlement: Settlement) -> None:
        failures = 0 if settlement.outcome == "delivered" else row.failures + 1
        gone = settlement.outcome == "gone"
        turned_off = row.enabled and (gone or failures >= FAILURES_MIN)
        why: DisabledReason = "gone" if gone else "failing"
        self.rows[row.webhook_id] = replace(
            row,
            failures=failures,
            failing_since=(row.failing_since or self._clock.now()) if failures else None,
            enabled=row.enabled and not turned_off,
            disabled_reason=why if turned_off else row.disabled_reason,
            revision=row.revision + turned_off,
        )

    def _insert(self, webhook_id: UUID, event: str, body: str) -> Delivery:
        now = self._clock.now() + timedelta(microseconds=len(self.deliveries))
        row = Delivery(
            uuid4(), webhook_id, event, body, "pending", self._clock.now(), 0, 0, now, None
        )
        self.deliveries[row.delivery_id] = row
        self.attempts[row.delivery_id] = []
        return row

    def _claim(self, row: Delivery) -> Claimed:
        lease_id, webhook = uuid4(), self.rows[row.webhook_id]
        self._leases[row.delivery_id] = lease_id
        sent = replace(row, state="sending", attempt=row.attempt + 1)
        self.deliveries[row.delivery_id] = sent
        until = webhook.overlap_until
        return Claimed(
            row.delivery_id,
            row.webhook_id,
            lease_id,
            row.event,
            row.body,
            sent.run,
            sent.attempt,
            webhook.url,
            webhook.secret_version,
            overlaps=until is not None and until > self._clock.now(),
        )


class FakeCourier:
    """Gives the answers in turn, the last one for ever; keeps what it carried."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [Answer(0.01, 200)]
        self.carried: list[tuple[str, Mapping[str, str], bytes]] = []

    async def carry(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self.carried.append((url, headers, body))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
