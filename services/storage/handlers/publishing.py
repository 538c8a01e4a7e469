"""Bring the dated paths up to the current version: at once after the commit, or later.

What a crash or an absent object store left behind is found by its row.
"""

import logging
from collections.abc import Mapping, Sequence
from uuid import UUID

from services.storage.domain.layout import SUFFIXES
from services.storage.domain.results import Published, Unpublished
from services.storage.ports import Ports
from shared.at_once import at_once
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import RESULT_FILES_LOST

REPAIRED_AT_ONCE = 100

log = logging.getLogger(__name__)


async def repair_outputs(use: Ports, *, older_than_s: float) -> int:
    """Publish what a crash or an absent object store left behind; how many it were."""
    async with use.ledger.unit() as unit:
        behind = await use.results.lock_forgotten(unit, older_than_s, REPAIRED_AT_ONCE)
        return await _publish(unit, behind, {}, use)


async def publish_now(
    document_ids: Sequence[UUID], files: Mapping[str, bytes], use: Ports
) -> None:
    # The results are committed, so nothing may fail the jobs any more: what cannot be
    # published now is found by its row, by the repair that runs in the background.
    await failpoint("storage.committed")
    if not document_ids:
        return
    try:
        async with use.ledger.unit() as unit:
            behind = await use.results.lock_unpublished(unit, document_ids)
            await _publish(unit, behind, files, use)
    except Retryable as error:
        log.warning("publishing_left_to_repair", extra={"cause": str(error)})


async def _publish(
    unit: Unit, behind: Sequence[Unpublished], files: Mapping[str, bytes], use: Ports
) -> int:
    """Bring the dated paths up to the current version, while the unit holds their rows.

    The lock keeps an older version from overwriting a newer one: whoever holds the row knows
    which version is current, writes that, and marks it, before anybody else may.
    """
    copies = await at_once(_copies(one, files, use) for one in behind)
    whole = [one for one, copy in zip(behind, copies, strict=True) if copy]
    if lost := [one.document_id for one in behind if one not in whole]:
        await use.results.put_off(unit, lost)
    if whole:
        await use.blobs.put_all({key: data for one in copies for key, data in one.items()})
        await failpoint("storage.published")
        await _remove_moved(whole, use)
        await use.results.mark_published(unit, [_published(one, use) for one in whole])
    return len(whole)


def _published(one: Unpublished, use: Ports) -> Published:
    json, parquet = (
        use.layout.dated_key(one.document_id, one.accepted_at, suffix) for suffix in SUFFIXES
    )
    return Published(one.document_id, json, parquet)


async def _remove_moved(behind: Sequence[Unpublished], use: Ports) -> None:
    """The templates changed since these were published: a document is shown in one place."""
    left = {
        key
        for one in behind
        for key in {one.json_key, one.parquet_key} - {*_published(one, use).keys}
        if key is not None
    }
    await at_once(use.blobs.delete(key) for key in sorted(left))


async def _copies(
    one: Unpublished, files: Mapping[str, bytes], use: Ports
) -> Mapping[str, bytes]:
    """The files of the current version under their dated keys; none when one is lost."""
    copies: dict[str, bytes] = {}
    for suffix in SUFFIXES:
        key = use.layout.version_key(one.document_id, one.version, suffix)
        try:
            data = files[key] if key in files else await use.blobs.read(key)
        except Rejected as error:
            # A committed version without its file: a person must look, others must not wait.
            RESULT_FILES_LOST.inc()
            log.error("version_lost", extra={"key": key, "reason": error.reason})  # noqa: TRY400
            return {}
        copies[use.layout.dated_key(one.document_id, one.accepted_at, suffix)] = data
    return copies
