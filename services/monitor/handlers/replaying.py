"""Send a dead letter back to the queue where it failed, once, in somebody's name.

Claiming the letter, the replay's own row, the audit entry and the outbox row are one commit.
A double click, a second monitor or a crash therefore finds the letter open or replaying, and
never sends it twice.
"""

from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.replays import (
    NoSuchLetter,
    NoSuchReplay,
    Replay,
    resource_of,
    why_not_replayable,
)
from services.monitor.ports import Ports
from shared.audit.chain import Entry
from shared.bus.headers import DEAD_HEADERS
from shared.contracts.identity import new_id
from shared.failpoints import failpoint
from shared.ledger.port import Resend


async def replay_letter(letter_id: UUID, actor: str, reason: str, use: Ports) -> Replay:
    replay = None
    async with use.ledger.unit() as unit:
        claimed = await use.letters.claim_letter(
            unit,
            letter_id=letter_id,
            replay_id=new_id(),
            days=use.limits.letters_kept_days,
        )
        if claimed is not None:
            letter, body = claimed
            replay = await use.replays.insert_replay(
                unit, letter, requested_by=actor, reason=reason
            )
            unit.resend(resend(letter, body, replay.replay_id))
            await use.trail.record(unit, _entry(replay))
            await failpoint("monitor.in_commit")
    await failpoint("monitor.after_commit")
    if replay is None:
        raise why_not_replayable(
            await get_letter(letter_id, use), use.clock.now(), use.limits.letters_kept_days
        )
    return replay


async def get_letter(letter_id: UUID, use: Ports) -> DeadLetter:
    letter = await use.letters.find_letter(letter_id)
    if letter is None:
        raise NoSuchLetter(str(letter_id))
    return letter


async def get_replay(replay_id: UUID, use: Ports) -> Replay:
    replay = await use.replays.find_replay(replay_id)
    if replay is None:
        raise NoSuchReplay(str(replay_id))
    return replay


async def view_payload(letter_id: UUID, actor: str, use: Ports) -> tuple[DeadLetter, bytes]:
    """Whose invoice somebody has read stays on record, so there is no look without an entry."""
    letter = await get_letter(letter_id, use)
    async with use.ledger.unit() as unit:
        body = await use.letters.read_body(unit, letter_id)
        await use.trail.record(unit, Entry(actor, "payload_viewed", resource_of(letter_id)))
    if body is None:
        raise NoSuchLetter(str(letter_id))
    return letter, body


def resend(letter: DeadLetter, body: bytes, replay_id: UUID) -> Resend:
    # Its obituary stays here: the next failure writes a new one.
    headers = {name: text for name, text in letter.headers.items() if name not in DEAD_HEADERS}
    return Resend(
        queue=letter.origin_queue,
        body=body,
        headers=headers,
        priority=letter.priority,
        run=letter.run + 1,
        replay_id=replay_id,
    )


def _entry(replay: Replay) -> Entry:
    return Entry(
        actor=replay.requested_by,
        action="letter_replayed",
        resource=resource_of(replay.letter_id),
        reason=replay.reason,
        after={
            "replay_id": str(replay.replay_id),
            "job_id": str(replay.job_id),
            "queue": replay.queue,
            "run": replay.run,
        },
    )
