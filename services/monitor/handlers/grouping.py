"""Say something of a group of failures: a comment, whose it is, and until when it is muted."""

from dataclasses import asdict

from services.monitor.domain.groups import Said, StaleGroup, resource_of
from services.monitor.ports import Ports
from shared.audit.chain import Entry


async def say_of_group(said: Said, actor: str, use: Ports) -> Said:
    before = await use.groups.find_said(said.fingerprint)
    async with use.ledger.unit() as unit:
        kept = await use.groups.say_of_group(unit, said, changed_by=actor)
        if kept is not None:
            await use.trail.record(unit, _entry(before, kept, actor))
    if kept is None:
        raise StaleGroup(await use.groups.find_said(said.fingerprint))
    return kept


def _entry(before: Said, after: Said, actor: str) -> Entry:
    return Entry(
        actor=actor,
        action="group_annotated",
        resource=resource_of(after.fingerprint),
        before=_told(before),
        after=_told(after),
    )


def _told(said: Said) -> dict[str, str | int | None]:
    until = said.muted_until.isoformat() if said.muted_until else None
    return {**asdict(said), "muted_until": until}
