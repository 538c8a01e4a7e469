"""Take an export in, cancel it: what its owner says, written down with what it does."""

from uuid import UUID

from services.storage.domain.exports import (
    Export,
    KeyTaken,
    NoSuchExport,
    NotAllowed,
    Order,
    TooManyOpen,
)
from services.storage.ports.outlets import Outlets
from shared.audit.chain import Entry


async def order_export(
    owner_id: str, order: Order, key: str | None, use: Outlets
) -> tuple[Export, bool]:
    """The export, and whether it had been ordered before under the same key."""
    async with use.ledger.unit() as unit:
        if key is not None and (
            known := await use.exports.find_keyed_export(unit, owner_id, key)
        ):
            return _same(known, order), True
        opened = await use.exports.open_export(
            unit, owner_id=owner_id, key=key, order=order, open_max=use.limits.open_max
        )
        if opened is None:
            # Of two with one key the second may have come so close that it finds it now only.
            if key is not None and (
                known := await use.exports.find_keyed_export(unit, owner_id, key)
            ):
                return _same(known, order), True
            raise TooManyOpen(f"at most {use.limits.open_max} exports are made at a time")
        await use.trail.record(unit, _entry(owner_id, "export_ordered", opened))
        return opened, False


async def cancel_export(
    export_id: UUID, owner_id: str, reach: str | None, use: Outlets
) -> Export:
    """Twice is once."""
    await find_export(export_id, owner_id, reach, use)
    async with use.ledger.unit() as unit:
        cancelled = await use.exports.cancel_export(unit, export_id, owner_id)
        if cancelled is not None:
            await use.trail.record(unit, _entry(owner_id, "export_cancelled", cancelled))
            return cancelled
    known = await find_export(export_id, owner_id, reach, use)
    if known.status != "cancelled":
        raise NotAllowed(f"the export is {known.status}")
    return known


async def find_export(
    export_id: UUID, owner_id: str, reach: str | None, use: Outlets
) -> Export:
    """One that the owner ordered, of documents that whoever asks may see."""
    found = await use.exports.find_export(export_id, owner_id)
    if found is None or not found.is_within(reach):
        raise NoSuchExport
    return found


def _same(known: Export, order: Order) -> Export:
    if known.order.fingerprint() != order.fingerprint():
        raise KeyTaken("the key has ordered another export")
    return known


def _entry(actor: str, action: str, export: Export) -> Entry:
    order = export.order
    told = {
        "of_owner": order.of_owner,
        "format": order.format,
        "rows": order.rows,
        # Which filters, but not for whom somebody looked.
        "filters": sorted(order.wanted.told()),
    }
    return Entry(actor, action, f"export/{export.export_id}", after=told)
