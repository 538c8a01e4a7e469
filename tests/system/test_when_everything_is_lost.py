"""Database, broker and objects are gone at once; what is left is a backup that was taken in the
middle of work."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import invoice
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.steady import Handed, Steady, steady_client

# What nobody has handed in is collected within minutes, not within a day.
SOONER = {
    "PAPERLINE_ORPHAN_AFTER_S": "60",
    "PAPERLINE_SWEEP_EVERY_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "1",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}


@pytest.fixture
async def stack(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stack]:
    for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, text in SOONER.items():
        monkeypatch.setenv(name, text)
    stack = Stack.below(folder / "lost")
    await stack.begin_anew()
    try:
        yield stack
    finally:
        await stack.down()


@pytest.fixture
def backup(folder: Path) -> Path:
    shutil.rmtree(folder / "backup", ignore_errors=True)
    return folder / "backup"


@dataclass(frozen=True, slots=True)
class Before:
    """What was known when the backup began, and what it said."""

    handed: list[Handed]
    # Its bytes were lost before, so they are in no backup.
    torn: Handed
    # Bytes that somebody put there who died before the commit.
    orphaned: Path
    approved: str
    said: str
    while_backing_up: list[Handed]


@pytest.mark.slow
async def test_what_was_accepted_before_comes_back_and_clients_bring_the_rest(
    stack: Stack, backup: Path
) -> None:
    async with steady_of(stack) as steady:
        before = await _backed_up_under_load(stack, steady, backup)
        assert "the broker was empty" in before.said, before.said
        assert (backup / "objects" / before.orphaned.relative_to(stack.blobs)).exists()
        await _is_refused_what_would_harm(stack, backup)

        await stack.down()
        await asyncio.to_thread(shutil.rmtree, stack.state.root)
        code, told = await stack.tried("restore", backup)

        assert code == 1, told
        assert "1 missing" in told, told
        missing = (stack.state.root / "missing-after-restore.txt").read_text()
        assert sha256(before.torn.content).hexdigest() in missing
        await _all_is_there_again(steady, Records(stack), before)
        async with client_of(stack) as client:
            document = await client.get("ingest", f"/v1/documents/{before.approved}")
            assert document["review"] == "approved", document
        await eventually(lambda: not before.orphaned.exists(), within_s=150, every_s=1)


@asynccontextmanager
async def steady_of(stack: Stack) -> AsyncIterator[Steady]:
    async with steady_client(lambda: stack.address("ingest_api"), lambda: stack.key) as steady:
        yield steady


async def _backed_up_under_load(stack: Stack, steady: Steady, backup: Path) -> Before:
    async with client_of(stack) as client:
        approved = await _approved(client)
    orphan = invoice()
    orphaned = _scan(stack, orphan)
    orphaned.parent.mkdir(parents=True, exist_ok=True)
    orphaned.write_bytes(orphan)
    async with steady.at_work():
        await steady.goes_on()
        torn = steady.ended[0]
        _scan(stack, torn.content).unlink()
        handed = [*steady.handed]
        said = await stack.backup(backup)
        meanwhile = steady.handed[len(handed) :]
        await steady.goes_on(2)
    assert steady.troubles == []
    return Before(handed, torn, orphaned, approved, said, meanwhile)


async def _approved(client: Client) -> str:
    document_id = await client.to_review(invoice(), filename="approved.pdf")
    answer = await client.approve(document_id)
    assert answer.status_code == HTTPStatus.OK, answer.text
    return str(document_id)


def _scan(stack: Stack, content: bytes) -> Path:
    digest = sha256(content).hexdigest()
    return stack.blobs / "sha256" / digest[:2] / digest


async def _is_refused_what_would_harm(stack: Stack, backup: Path) -> None:
    for command, why in (("backup", "is not empty"), ("restore", "A stack runs in")):
        code, told = await stack.tried(command, backup)
        assert code == 1
        assert why in told, told


async def _all_is_there_again(steady: Steady, records: Records, before: Before) -> None:
    there = await records.documents(steady.name)
    late = steady.handed[len(before.handed) + len(before.while_backing_up) :]
    assert {one.document_id for one in before.handed} <= there
    assert late
    assert not there & {one.document_id for one in late}

    again = {one.key: await steady.repeat(one) for one in steady.handed}

    for one in steady.handed:
        was_kept = one.document_id in there
        assert (again[one.key] == one.document_id) == was_kept, one.filename
    count = len(steady.handed)
    await eventually(
        lambda: records.has_ended(steady.name, count=count), within_s=180, every_s=0.5
    )
    await records.require_each_once(steady.name, count=count)
