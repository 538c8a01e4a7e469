"""What became of one document, in order: one suite for memory and PostgreSQL."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.monitor.domain.timelines import NoSuchDocument
from services.monitor.handlers.recounting import find_documents, recount
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.watching import watch_facts
from shared.contracts.body import Body
from shared.contracts.facts import (
    DocumentAcceptedV1,
    DocumentDeletedV1,
    DocumentFailedV1,
    DocumentProgressV1,
    DocumentStartedV1,
)
from tests import builders
from tests.conformance.operating import Operating, in_memory, in_postgres
from tests.fakes.clock import NOON
from tests.unit.monitor.world import dead_letter

SHA256 = "ab" * 32


@pytest.fixture(params=["memory", "postgres"])
async def operating(request: pytest.FixtureRequest) -> AsyncIterator[Operating]:
    async with in_memory() if request.param == "memory" else in_postgres() as one:
        yield one


def at(second: int) -> UUID:
    stamp = int((NOON.timestamp() + second) * 1000)
    return UUID(int=stamp << 80 | 0x7 << 76 | second)


async def told(operating: Operating, *facts: Body) -> None:
    """A second apart, and heard in the wrong order, and twice."""
    jobs = [builders.job(fact, job_id=at(n)) for n, fact in enumerate(facts)]
    for _ in range(2):
        await watch_facts(jobs[::-1], operating.use)


def journey(document_id: UUID, filename: str = "Rechnung_17.pdf") -> list[Body]:
    known = {"document_id": document_id, "owner_id": "acme", "accepted_at": NOON}
    return [
        DocumentAcceptedV1.model_validate(
            {
                **known,
                "sha256": SHA256,
                "media_type": "application/pdf",
                "size_bytes": 9,
                "filename": filename,
            }
        ),
        DocumentStartedV1.model_validate({**known, "attempt": 1}),
        DocumentProgressV1.model_validate({**known, "percent": 40, "stage": "extract"}),
        DocumentFailedV1.model_validate(
            {**known, "stage": "extract", "reason": "unreadable", "attempts": 1}
        ),
    ]


async def test_all_that_became_of_a_document_is_told_once_and_in_order(
    operating: Operating,
) -> None:
    document_id = uuid4()
    await told(operating, *journey(document_id))
    letter = await operating.keeper.kept(dead_letter(document_id=document_id))
    replay = await replay_letter(letter.letter_id, "olga", "It is mended.", operating.use)
    await operating.settle((replay.replay_id, "done"))

    timeline = await recount(document_id, operating.use)

    facts = [entry.what for entry in timeline.entries if entry.kind == "fact"]
    assert facts == ["document.accepted", "document.started", "document.failed"]
    others = {(entry.kind, entry.what) for entry in timeline.entries if entry.kind != "fact"}
    assert {
        ("dead_letter", "unreadable"),
        ("replay", "requested"),
        ("replay_settled", "done"),
    } <= others
    moments = [entry.at for entry in timeline.entries]
    assert moments == sorted(moments)
    assert (timeline.document.status, timeline.is_cut) == ("failed", False)


async def test_it_says_who_sent_it_back_and_why(operating: Operating) -> None:
    document_id = uuid4()
    await told(operating, *journey(document_id))
    letter = await operating.keeper.kept(dead_letter(document_id=document_id))
    await replay_letter(letter.letter_id, "olga", "It is mended.", operating.use)

    timeline = await recount(document_id, operating.use)

    [replay] = [entry for entry in timeline.entries if entry.kind == "replay"]
    assert (replay.detail["requested_by"], replay.detail["reason"]) == ("olga", "It is mended.")


@pytest.mark.parametrize("text", [SHA256, SHA256.upper(), "rechnung_1", "the id"])
async def test_a_document_is_found_by_whatever_is_known_of_it(
    operating: Operating, text: str
) -> None:
    document_id = uuid4()
    await told(operating, *journey(document_id))

    [found] = await find_documents(
        str(document_id) if text == "the id" else text, operating.use
    )

    assert (found.document_id, found.owner_id) == (document_id, "acme")


@pytest.mark.parametrize("text", ["rechnung%", "rechnungX1", str(uuid4()), "cd" * 32])
async def test_what_is_not_there_is_not_found(operating: Operating, text: str) -> None:
    await told(operating, *journey(uuid4()))

    assert await find_documents(text, operating.use) == []


async def test_of_a_deleted_document_it_says_that_it_went_its_way_and_no_more(
    operating: Operating,
) -> None:
    document_id = uuid4()
    facts = journey(document_id)
    deleted = DocumentDeletedV1(document_id=document_id, owner_id="acme", accepted_at=NOON)
    await told(operating, facts[0], deleted)
    late = builders.job(facts[3], job_id=at(9))
    await watch_facts([late], operating.use)

    timeline = await recount(document_id, operating.use)

    assert [entry.what for entry in timeline.entries] == [
        "document.accepted",
        "document.deleted",
        "document.failed",
    ]
    assert "Rechnung" not in str(timeline)
    assert "unreadable" not in str(timeline)
    assert await find_documents("rechnung", operating.use) == []


async def test_a_document_of_which_nothing_was_told_has_none(operating: Operating) -> None:
    with pytest.raises(NoSuchDocument):
        await recount(uuid4(), operating.use)
