"""Exports that are ordered, claimed and completed, for the suites about them."""

from dataclasses import replace
from datetime import UTC, date, datetime

from services.storage.domain.exports import Export, Order, Wanted
from tests.conformance.leaving import Leaving

ORDER = Order(
    "acme",
    Wanted(
        accepted_after=datetime(2026, 1, 1, tzinfo=UTC),
        issued_before=date(2026, 12, 31),
        vendor="Nord",
        confidence_min=0.5,
    ),
    "csv",
    "lines",
)


async def opened(
    leaving: Leaving,
    *,
    owner: str = "acme",
    of: str | None = "acme",
    key: str | None = None,
    open_max: int = 5,
) -> Export | None:
    order = replace(ORDER, of_owner=of)
    async with leaving.ledger.unit() as unit:
        return await leaving.exports.open_export(
            unit, owner_id=owner, key=key, order=order, open_max=open_max
        )


async def claimed(leaving: Leaving, of: str | None = "acme") -> Export:
    await opened(leaving, of=of)
    export = await leaving.exports.claim_export(60)
    assert export is not None
    return export


async def complete(leaving: Leaving, export: Export, keep_s: float = 60) -> bool:
    return await leaving.exports.complete_export(
        export, done=7, parts=2, size=9, sha256="ab", keep_s=keep_s
    )
