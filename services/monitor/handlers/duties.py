"""What is done every so often, by one of all monitors and for all of them.

The lock, the work and the note that it is done are one transaction: whoever dies in the middle
has done nothing, and the next one comes. So whatever a duty tells, it tells once.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from services.monitor.ports import Ports
from shared.failpoints import failpoint
from shared.ledger.port import Unit

Result = Mapping[str, Any]
Work = Callable[[Unit, Result], Awaitable[Result]]


async def perform(name: str, every_s: float, work: Work, use: Ports) -> bool:
    """False when it was not time, or is done elsewhere."""
    async with use.ledger.unit() as unit:
        before = await use.duties.claim_duty(unit, name, every_s)
        if before is None:
            return False
        result = await work(unit, before)
        await use.duties.note_duty(unit, name, result)
        await failpoint("monitor.duty_done")
    return True
