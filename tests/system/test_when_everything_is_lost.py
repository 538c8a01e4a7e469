"""Database, broker and objects are gone at once; what is left is a backup that was taken in the
middle of work."""

import asyncio
import re
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import pytest

from shared.contracts.identity import written_at
from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import invoice
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.steady import Handed, Steady, steady_client
from tests.system.verdict import require_promises_kept, require_rest

# What nobody has handed in is collected within minutes, not within a day.
SOONER = {
    "PAPERLINE_ORPHAN_AFTER_S": "60",
    "PAPERLINE_SWEEP_EVERY_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "1",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}

UPLOADS_WITHIN_S = 5.0


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
    stack: Stack, backup: Path, capsys: pytest.CaptureFixture[str]
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
        lost = await _all_is_there_again(steady, Records(stack), before)
        window = _loss_window(lost, since=_instant(told))
        with capsys.disabled():
            told_of = f"{len(lost)} of {len(steady.handed)} documents, {window}"
            sys.stdout.write(f"\nloss window: {told_of}\n")
        async with client_of(stack) as client:
            document = await client.get("ingest", f"/v1/documents/{before.approved}")
            assert document["review"] == "approved", document
        await eventually(lambda: not before.orphaned.exists(), within_s=150, every_s=1)
        await _keeps_its_promises(stack, steady, before)


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


def _instant(told: str) -> datetime:
    """Which moment a restore says that it went back to."""
    [words] = re.findall(r"as it was at +(\S+);", told)
    return datetime.fromisoformat(words)


def _loss_window(lost: Sequence[Handed], *, since: datetime) -> str:
    """Everything that is lost was accepted after the instant of the backup."""
    accepted = [written_at(one.document_id) for one in lost]
    after_s = sorted((one - since).total_seconds() for one in accepted if one is not None)
    assert len(after_s) == len(lost)
    # Its id is given before it is committed.
    assert after_s[0] > -UPLOADS_WITHIN_S
    return f"accepted until {after_s[-1]:.1f} s after the instant of the backup"


async def _keeps_its_promises(stack: Stack, steady: Steady, before: Before) -> None:
    """All of them, to whoever was told something by the stack that was restored."""
    for one in steady.handed:
        sent = stack.history.sending(one.content, one.key)
        sent.told(HTTPStatus.ACCEPTED, await steady.repeat(one))
    torn = before.torn.document_id
    stack.history.excuse(torn, "I3", why="its bytes were lost before the backup")
    await require_rest(stack)
    await require_promises_kept(stack)


async def _all_is_there_again(steady: Steady, records: Records, before: Before) -> list[Handed]:
    """What was not, until its client brought it again."""
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
    return [one for one in steady.handed if one.document_id not in there]
