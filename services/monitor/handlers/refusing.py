"""Write down who was refused what: of what can destroy, every attempt is on record."""

from services.monitor.ports import Ports
from shared.audit.chain import Entry


async def note_refusal(
    actor: str, action: str, resource: str, reason: str, why: str, use: Ports
) -> None:
    async with use.ledger.unit() as unit:
        refused = Entry(actor, action, resource, after={"refused": why}, reason=reason)
        await use.trail.record(unit, refused)
