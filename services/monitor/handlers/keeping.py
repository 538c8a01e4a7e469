"""Take dead letters out of the broker and keep them where they can be found and replayed.

They are kept before they are settled, so a crash in between delivers them again: hence one
row per letter, however often it comes. A letter that is a replay's failure settles that
replay in the same commit. A letter that comes after its document was deleted is let go.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from services.monitor.domain.letters import NewLetter, read_letter
from services.monitor.domain.replays import REFAILED
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import Ports
from shared.bus.letters import Letter
from shared.contracts.identity import new_id
from shared.ledger.port import Unit

log = logging.getLogger(__name__)


async def keep_letters(letters: Sequence[Letter], use: Ports) -> None:
    read = [read_letter(letter, new_id()) for letter in letters]
    outcomes = {
        one.facts.failed_replay_id: REFAILED for one in read if one.facts.failed_replay_id
    }

    async with use.ledger.unit() as unit:
        deleted = await _find_deleted(unit, read, use)
        await use.letters.keep_letters(unit, read)
        # Kept first: by what erasing notes of a letter it can be told from one that was lost.
        gone = await use.letters.erase_letters(unit, sorted(deleted)) if deleted else ()
        settled = await settle_replays(unit, outcomes, use)
    settled.tell(use)
    if gone:
        log.info("letters_of_deleted_let_go", extra={"letters": len(gone)})


async def _find_deleted(unit: Unit, read: Sequence[NewLetter], use: Ports) -> set[UUID]:
    document_ids = sorted({one.facts.document_id for one in read if one.facts.document_id})
    # A deletion that commits while we do would otherwise see no letter to erase, and we no
    # deletion.
    await use.documents.lock_documents(unit, document_ids)
    return await use.documents.find_deleted(unit, document_ids)
