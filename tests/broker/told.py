"""What services tell the monitor of documents, and what its report makes of it."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from services.monitor.handlers.conserving import report
from services.monitor.handlers.watching import watch_facts
from shared.bus.jobs import Job
from shared.contracts import facts
from shared.contracts.body import Body
from shared.contracts.identity import new_id
from tests import builders
from tests.broker.monitor_world import Monitor

# Longer ago than any grace, and within what is looked at.
AGO = timedelta(hours=60)


class Told:
    """What services tell of one document, accepted long enough ago."""

    def __init__(self, monitor: Monitor, **given: Any) -> None:  # noqa: ANN401 -- fields
        self.document_id = uuid4()
        self._monitor = monitor
        accepted_at = monitor.use.clock.now() - AGO
        self._known = {
            "document_id": self.document_id,
            "owner_id": "acme",
            "accepted_at": accepted_at,
            **given,
        }

    def accepted_before(self, other: "Told") -> None:
        self._known["accepted_at"] = other._known["accepted_at"] - timedelta(seconds=1)

    def accepted(self) -> Body:
        return facts.DocumentAcceptedV1.model_validate(
            {**self._known, "sha256": "a" * 64, "media_type": "image/png", "size_bytes": 1}
        )

    def stored(self) -> Body:
        return facts.DocumentStoredV1.model_validate(
            {
                **self._known,
                "result_version": 1,
                "result_key": "k",
                "engine": "offline",
                "confidence": 1,
            }
        )

    def reviewed(self) -> Body:
        return facts.ReviewOpenedV1.model_validate({**self._known, "confidence": 1})

    def started(self, *, attempt: int = 1) -> Body:
        return facts.DocumentStartedV1.model_validate({**self._known, "attempt": attempt})

    def failed(self, reason: str = "unreadable") -> Body:
        return facts.DocumentFailedV1.model_validate(
            {**self._known, "stage": "extract", "reason": reason, "attempts": 1}
        )

    def waiting(self) -> Body:
        return facts.DocumentWaitingV1.model_validate(
            {**self._known, "stage": "extract", "reason": "the provider", "attempt": 1}
        )

    def ended(self, status: str) -> Body:
        return facts.DocumentEndedV1.model_validate({**self._known, "status": status})

    async def tell(self, *told: Body, after: timedelta = timedelta(seconds=1)) -> None:
        await watch_facts(self.jobs(*told, after=after), self._monitor.use)

    def jobs(self, *told: Body, after: timedelta) -> list[Job[Body]]:
        at = self._known["accepted_at"] + after
        return [builders.job(one, job_id=_at(at.timestamp())) for one in told]


def _at(seconds: float) -> UUID:
    return UUID(int=int(seconds * 1000) << 80 | new_id().int & ((1 << 80) - 1))


async def began_long_ago(monitor: Monitor) -> None:
    await monitor.schema.owner.execute(
        "UPDATE conservation_began SET at = now() - interval '30 days'"
    )


async def aged(monitor: Monitor) -> None:
    """Nothing has been heard of any document since."""
    for told in ("documents_seen SET moved_at", "document_facts SET heard_at"):
        await monitor.schema.owner.execute(f"UPDATE {told} = now() - interval '59 hours'")


async def broken(monitor: Monitor) -> dict[str, list[str]]:
    now = monitor.use.clock.now()
    found = await report(now - timedelta(days=30), now, monitor.use)
    assert found.holds is not any(one.total for one in found.violations)
    return {
        one.invariant: [offender.subject for offender in one.offenders]
        for one in found.violations
        if one.total
    }
