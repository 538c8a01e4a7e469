"""Tell what became of one document, and what a job had to say before it died."""

import re
from uuid import UUID

from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.replays import resource_of
from services.monitor.domain.timelines import (
    FoundDocument,
    NoSuchDocument,
    Timeline,
    merged,
)
from services.monitor.handlers.replaying import get_letter
from services.monitor.ports import Filter, Ports
from shared.audit.chain import Entry

# Of each kind. A document has some ten facts; one with more is stuck in a circle.
ENTRIES_MAX = 500
FOUND_MAX = 50
SHA256 = re.compile(r"[0-9a-f]{64}")


async def recount(document_id: UUID, use: Ports) -> Timeline:
    which = Filter(document_id=document_id)
    facts = await use.facts.list_facts(document_id, ENTRIES_MAX)
    letters = await use.letters.list_letters(which, after=None, limit=ENTRIES_MAX)
    document = await use.facts.find_document(document_id)
    if document is None:
        raise NoSuchDocument(str(document_id))
    sent = await use.facts.list_replays_of(document_id, ENTRIES_MAX)
    resources = [resource_of(letter.letter_id) for letter in letters]
    deeds = await use.facts.list_deeds(resources, ENTRIES_MAX)
    traces = [fact.trace_id for fact in facts if fact.trace_id]
    return Timeline(
        document=document,
        trace_ids=tuple(dict.fromkeys(traces)),
        entries=tuple(merged(facts, letters, sent, deeds)),
        is_cut=ENTRIES_MAX in (len(facts), len(letters), len(sent), len(deeds)),
    )


async def find_documents(text: str, use: Ports) -> list[FoundDocument]:
    """By id, by the digest of its bytes, or by how its file's name begins."""
    try:
        document = await use.facts.find_document(UUID(text))
    except ValueError:
        is_digest = SHA256.fullmatch(text.lower())
        return await use.facts.find_documents(
            sha256=text.lower() if is_digest else None, filename=text, limit=FOUND_MAX
        )
    return [document] if document else []


async def view_logs(
    letter_id: UUID, actor: str, use: Ports
) -> tuple[DeadLetter, dict[int, str]]:
    """A log may quote what a customer sent, so each look stays on record."""
    letter = await get_letter(letter_id, use)
    logs: dict[int, str] = {}
    if letter.document_id and letter.job_id:
        logs = await use.logs.read_logs(
            letter.document_id, letter.job_id, letter.run, letter.attempts
        )
    async with use.ledger.unit() as unit:
        await use.trail.record(unit, Entry(actor, "log_viewed", resource_of(letter_id)))
    return letter, logs
