"""Bring the dated paths up to the current version: at once after the commit, or later.

What a crash or an absent object store left behind is found by its row.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from services.storage.domain.layout import SUFFIXES
from services.storage.domain.results import Published, Unpublished
from services.storage.ports import Ports
from shared.at_once import at_once
from shared.errors import Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import RESULT_FILES_LOST

REPAIRED_AT_ONCE = 100

log = logging.getLogger(__name__)


async def repair_outputs(use: Ports, *, older_than_s: float) -> int:
    """Publish what a crash or an absent object store left behind; how many it were."""
    async with use.ledger.unit() as unit:
        behind = await use.results.lock_forgotten(unit, older_than_s, REPAIRED_AT_ONCE)
        return await _publish(unit, behind, (), use)


async def publish_now(
    document_ids: Sequence[UUID], written: Collection[str], use: Ports
) -> None:
    """`written` are keys of versions that lie there for sure: nobody asks for them again."""
    # The results are committed, so nothing may fail the jobs any more: what cannot be
    # published now is found by its row, by the repair that runs in the background.
    await failpoint("storage.committed")
    if not document_ids:
        return
    try:
        async with use.ledger.unit() as unit:
            behind = await use.results.lock_unpublished(unit, document_ids)
            await _publish(unit, behind, written, use)
    except Retryable as error:
        log.warning("publishing_left_to_repair", extra={"cause": str(error)})


async def _publish(
    unit: Unit, behind: Sequence[Unpublished], written: Collection[str], use: Ports
) -> int:
    """Bring the dated paths up to the current version, while the unit holds their rows.

    The lock keeps an older version from overwriting a newer one: whoever holds the row knows
    which version is current, shows that, and marks it, before anybody else may.
    """
    copies = {one.document_id: _copies(one, use) for one in behind}
    lost = await _missing(
        (key for each in copies.values() for key in each.values()), written, use
    )
    whole = {key: each for key, each in copies.items() if lost.isdisjoint(each.values())}
    wanted = {key: source for each in whole.values() for key, source in each.items()}
    gone = await use.blobs.copy_all(wanted)
    whole = {key: each for key, each in whole.items() if gone.isdisjoint(each)}
    _tell_lost(lost.union(wanted[key] for key in gone))
    if left := [document_id for document_id in copies if document_id not in whole]:
        await use.results.put_off(unit, left)
    if whole:
        await failpoint("storage.published")
        published = [Published(document_id, *each) for document_id, each in whole.items()]
        await _remove_moved(behind, published, use)
        await use.results.mark_published(unit, published)
    return len(whole)


async def _remove_moved(
    behind: Sequence[Unpublished], published: Sequence[Published], use: Ports
) -> None:
    """The templates changed since these were published: a document is shown in one place."""
    now = {one.document_id: one.keys for one in published}
    left = {
        key
        for one in behind
        if one.document_id in now
        for key in {one.json_key, one.parquet_key}.difference(now[one.document_id])
        if key is not None
    }
    await at_once(use.blobs.delete(key) for key in sorted(left))


async def _missing(keys: Iterable[str], written: Collection[str], use: Ports) -> set[str]:
    """Of one version both files are shown or none, so all are looked for before."""
    asked = [key for key in keys if key not in written]
    sizes = await at_once(use.blobs.size(key) for key in asked)
    return {key for key, size in zip(asked, sizes, strict=True) if size is None}


def _copies(one: Unpublished, use: Ports) -> Mapping[str, str]:
    """By its dated keys, in the order of a `Published`, where the current version lies."""
    return {
        use.layout.dated_key(one.document_id, one.accepted_at, suffix): use.layout.version_key(
            one.document_id, one.version, suffix
        )
        for suffix in SUFFIXES
    }


def _tell_lost(keys: Iterable[str]) -> None:
    """A committed version without its file: a person must look, others must not wait."""
    for key in sorted(keys):
        RESULT_FILES_LOST.inc()
        log.error("version_lost", extra={"key": key})
