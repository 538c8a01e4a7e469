"""What deleted documents leave behind is erased behind the commit, and nothing else is."""

from collections.abc import AsyncIterator
from hashlib import sha256
from uuid import UUID

import pytest

from services.ingest.domain.erasing import OURS, REPORTING, OrphanRules, folder_of
from services.ingest.handlers.erase import erase_content, erase_deleted, erase_orphans
from shared.blobs.keys import content_key
from tests import builders
from tests.unit.ingest.desk import SUBMITTER, Desk

RULES = OrphanRules(after_s=60, keys_max=100, sweep_every_s=900)
READ = b'{"fields": {}}'
EXTRACTION = content_key(sha256(READ).hexdigest())


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def deleted(desk: Desk) -> UUID:
    document_id = await desk.accepted()
    answer = await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)
    assert answer.status_code == 204
    return UUID(document_id)


async def told(desk: Desk, document_id: UUID) -> str:
    answer = await desk.get(f"/v1/documents/{document_id}")
    assert answer.status_code == 410
    return str(answer.json()["detail"])


async def test_a_store_that_is_away_keeps_nobody_from_deleting(desk: Desk) -> None:
    document_id = await desk.accepted()
    desk.blobs.away = True

    answer = await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)
    await erase_deleted(desk.use)
    desk.blobs.away = False
    assert answer.status_code == 204
    assert builders.CONTENT_KEY in desk.blobs.objects

    assert await erase_deleted(desk.use) == 1
    assert builders.CONTENT_KEY not in desk.blobs.objects
    assert await erase_deleted(desk.use) == 0


async def test_a_tombstone_says_so_until_every_service_has_reported(desk: Desk) -> None:
    document_id = await deleted(desk)
    reports = [
        builders.erased(document_id=document_id, service=service)
        for service in REPORTING
        if service != OURS
    ]

    await desk.told(*reports[1:])
    await erase_deleted(desk.use)
    assert "is being erased" in await told(desk, document_id)
    await desk.told(reports[0], reports[0])

    assert "is being erased" not in await told(desk, document_id)
    assert not desk.erasures.planned


async def test_a_report_about_an_unknown_document_says_nothing(desk: Desk) -> None:
    await desk.told(builders.erased(), builders.erased(service="somebody"))

    assert not desk.ledger.sent


async def test_what_is_taken_in_between_the_note_and_the_erasing_stays(desk: Desk) -> None:
    document_id = await deleted(desk)
    release = desk.contents.release_content

    async def taken_in_meanwhile(unit: object, key: str) -> bool:
        noted = await release(unit, key)  # type: ignore[arg-type] # passed on as given
        await desk.accepted()
        return noted

    desk.contents.release_content = taken_in_meanwhile  # type: ignore[method-assign, assignment] # the instant between

    await erase_deleted(desk.use)

    assert builders.CONTENT_KEY in desk.blobs.objects
    assert OURS not in desk.erasures.awaited[document_id]


async def test_an_upload_without_a_document_is_erased_in_time(desk: Desk) -> None:
    desk.blobs.objects[builders.CONTENT_KEY] = builders.PDF

    assert await erase_orphans(desk.use, RULES) == 1

    assert not desk.blobs.objects
    assert not desk.orphans.noted


async def test_what_a_document_has_is_no_orphan(desk: Desk) -> None:
    desk.blobs.objects[builders.CONTENT_KEY] = builders.PDF
    desk.orphans.noted.append(builders.CONTENT_KEY)
    await desk.accepted()

    assert await erase_orphans(desk.use, RULES) == 0

    assert builders.CONTENT_KEY in desk.blobs.objects
    assert not desk.orphans.noted


async def test_what_other_stages_keep_is_looked_at_once_and_left_alone(desk: Desk) -> None:
    desk.blobs.objects |= {EXTRACTION: READ, "data/json/one.json": b"%PDF-"}

    await erase_orphans(desk.use, RULES)

    assert desk.orphans.not_ours == {EXTRACTION}
    assert len(desk.blobs.objects) == 2
    desk.blobs.objects[EXTRACTION] = builders.PDF
    assert await erase_orphans(desk.use, RULES) == 0


async def test_a_sweep_is_bounded_and_the_next_goes_on_where_it_stopped(desk: Desk) -> None:
    keys = [f"{folder_of(number)}{number:02x}{'0' * 62}" for number in range(256)]
    desk.blobs.objects |= dict.fromkeys(keys, b"{}")

    await erase_orphans(desk.use, RULES)
    assert desk.orphans.noted == keys[:100]
    for _ in range(2):
        await erase_orphans(desk.use, RULES)

    assert sorted(desk.orphans.noted) == keys
    assert desk.orphans.folder == 300 % 256


async def test_two_never_walk_at_once(desk: Desk) -> None:
    desk.blobs.objects[builders.CONTENT_KEY] = builders.PDF
    desk.orphans.another_walks = True

    assert await erase_orphans(desk.use, RULES) == 0

    assert desk.blobs.objects


@pytest.mark.parametrize(("paused", "resumed"), [(True, False), (False, True)])
async def test_while_submissions_wait_everything_gets_its_whole_time_again(
    desk: Desk, paused: bool, resumed: bool
) -> None:
    desk.orphans.paused, desk.orphans.resumed = paused, resumed

    await erase_orphans(desk.use, RULES)

    assert desk.orphans.postponed == 1


async def test_an_orphan_that_is_gone_already_is_forgotten(desk: Desk) -> None:
    desk.orphans.noted.append(builders.CONTENT_KEY)

    await erase_orphans(desk.use, RULES)

    assert not desk.orphans.noted


async def test_a_content_in_use_is_not_erased(desk: Desk) -> None:
    await desk.accepted()

    assert not await erase_content(builders.CONTENT_KEY, desk.use)

    assert builders.CONTENT_KEY in desk.blobs.objects
