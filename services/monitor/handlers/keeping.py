"""Take dead letters out of the broker and keep them where they can be found and replayed.

They are kept before they are settled, so a crash in between delivers them again: hence one
row per letter, however often it comes. A letter that is a replay's failure settles that
replay in the same commit.
"""

from collections.abc import Sequence

from services.monitor.domain.letters import read_letter
from services.monitor.domain.replays import REFAILED
from services.monitor.handlers.settling import settle_replays
from services.monitor.ports import Ports
from shared.bus.letters import Letter
from shared.contracts.identity import new_id


async def keep_letters(letters: Sequence[Letter], use: Ports) -> None:
    kept = [read_letter(letter, new_id()) for letter in letters]
    outcomes = {
        one.facts.failed_replay_id: REFAILED for one in kept if one.facts.failed_replay_id
    }

    async with use.ledger.unit() as unit:
        await use.letters.keep_letters(unit, kept)
        settled = await settle_replays(unit, outcomes, use)
    settled.count()
