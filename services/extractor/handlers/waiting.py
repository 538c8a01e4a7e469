"""What our own engine has read is kept while its document waits for the provider.

Recognising a scan takes minutes, and a provider that is away may send the same document back
dozens of times: it is read once. Kept for whoever brings the same content, forgotten when the
document has been through or is withdrawn.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from services.extractor.domain.reading import Reading, Scan
from services.extractor.handlers.leasing import TakenOver
from services.extractor.ports import ContentKey, OwnReadings, Withdrawals
from shared.errors import Deferred, Retryable, Withdrawn
from shared.ledger.port import Ledger

log = logging.getLogger(__name__)

# The next delivery begins with the model, and has all of its time for it.
SOON_S = 1.0


@dataclass(frozen=True, slots=True)
class WaitingRoom:
    """`config` is that of our own engine: what the others are does not change its reading."""

    config: str
    # What the provider may need, with a second call after an answer that was no use.
    provider_s: float
    readings: OwnReadings
    withdrawals: Withdrawals
    ledger: Ledger

    async def find(self, scan: Scan) -> Reading | None:
        async with self.ledger.apart() as unit:
            return await self.readings.find_own_reading(unit, self._content(scan))

    @asynccontextmanager
    async def beside(self, scan: Scan, own: Reading, *, is_kept: bool) -> AsyncIterator[None]:
        """While the provider is asked. When that ends with waiting, our own reading is kept;
        when it ends well, nobody needs it any more."""
        if not is_kept and scan.left_s() < self.provider_s:
            await self._keep(scan, own)
            raise Deferred("too little time is left for the model", after_s=SOON_S)
        try:
            yield
        except TakenOver:
            raise
        except (Deferred, Retryable):
            if not is_kept:
                await self._keep(scan, own)
            raise
        if is_kept:
            await self._drop(scan)

    async def _keep(self, scan: Scan, own: Reading) -> None:
        async with self.ledger.unit() as unit:
            await self.withdrawals.lock_documents(unit, [scan.document_id])
            if await self.withdrawals.find_withdrawn(unit, [scan.document_id]):
                raise Withdrawn
            await self.readings.keep_own_reading(
                unit, self._content(scan), scan.document_id, own
            )

    async def _drop(self, scan: Scan) -> None:
        try:
            async with self.ledger.unit() as unit:
                await self.readings.drop_own_reading(unit, self._content(scan))
        except Retryable as away:
            # The model has answered, and has been paid. What stays here goes with its age.
            log.info("own_reading_left", extra={"error": str(away)})

    def _content(self, scan: Scan) -> ContentKey:
        return ContentKey(scan.owner_id, scan.sha256, self.config)
