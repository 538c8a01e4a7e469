"""Two versions work side by side, on the way from one to the other and on the way back, while
clients hand in documents and notice nothing."""

from http import HTTPStatus
from pathlib import Path

import pytest

from tests.system.client import client_of
from tests.system.records import Records
from tests.system.stack import SERVICES
from tests.system.steady import Steady, steady_client
from tests.system.tap import Tap, tapped
from tests.upgrade.fleet import Fleet, fleet_of
from tests.upgrade.versions import COLUMN, NEW_FACT, Version

# Whoever takes before whoever sends it to them; deploy/RUNBOOK.md, "Deploy".
IN_TURN = ("monitor", "review", "storage", "extractor", "ingest")
PATHS = {"review": "/v1/items", "storage": "/v1/exports", "monitor": "/ops/v1/overview"}
NOBODYS = "SELECT origin_queue || ': ' || reason AS told FROM monitor.dead_letters" + "".join(
    f" UNION ALL SELECT '{one}, parked: ' || reason FROM {one}.outbox_parked"
    for one in SERVICES
)


async def test_documents_end_in_every_mix_of_two_versions_there_and_back(
    versions: tuple[Version, Version], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    older, newer = versions
    async with (
        fleet_of(older, folder / "stack") as fleet,
        steady_client(lambda: fleet.address("ingest_api"), lambda: fleet.key) as steady,
    ):
        async with tapped(fleet) as tap:
            async with steady.at_work():
                await _there_and_back(fleet, steady, older, newer)
            spoken = await _of_tomorrow(tap)
        await steady.all_end()

        assert steady.troubles == []
        records = Records(fleet)
        assert await records.rows(NOBODYS) == []
        await records.require_each_once(steady.name, count=len(steady.handed))
        await records.require_balance({one.document_id for one in steady.handed})
        if newer.folder.name == "tomorrow":
            # Or it would not have been another version.
            assert spoken == {"document.stored", "document.store", NEW_FACT}
            told = f"SELECT count({COLUMN}) AS rows FROM storage.stored_results"
            assert [row["rows"] for row in await records.rows(told)] == [len(steady.handed)]


async def _there_and_back(fleet: Fleet, steady: Steady, older: Version, newer: Version) -> None:
    await steady.goes_on()
    await fleet.prepare(newer)
    await steady.goes_on()
    for service in IN_TURN:
        await _replaced(fleet, service, newer, steady)
    # The tables stay as they are: they only grew.
    for service in reversed(IN_TURN):
        await _replaced(fleet, service, older, steady)


async def _replaced(fleet: Fleet, service: str, version: Version, steady: Steady) -> None:
    await fleet.replace(service, version)
    await steady.goes_on()
    async with client_of(fleet) as client:
        # Every API answers, whichever versions stand behind it.
        for door, path in PATHS.items():
            answer = await client.ask(door, path)
            assert answer.status_code == HTTPStatus.OK, answer.text


async def _of_tomorrow(tap: Tap) -> set[str]:
    """The types of the messages that had what only the invented version says."""
    return {one["header"]["type"] for one in await tap.messages() if COLUMN in one["body"]}
