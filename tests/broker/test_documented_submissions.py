"""What the guide for senders shows works as it stands there."""

import asyncio
import json
import re
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pamqp.commands import Basic

from tests import builders
from tests.broker.ingest_process import Outside, outside
from tests.broker.messages import raw_channel
from tests.eventually import eventually
from tests.house.repository import ROOT

REQUIREMENTS = ROOT / "shared/requirements.in"
# As the beginnings of their names are written there.
NEEDED = {"aio", "pydantic"}
GUIDE = (ROOT / "deploy/SUBMITTING.md").read_text()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    async with outside(tmp_path) as world:
        (world.scans / "2026").mkdir()
        (world.scans / "2026/invoice-17.pdf").write_bytes(builders.PDF)
        yield world


def _shown(language: str, text: str) -> str:
    [block] = _all_shown(language, text)
    return block


def _all_shown(language: str, text: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)


async def test_the_programs_of_the_guide_hand_in_and_are_answered(
    world: Outside, tmp_path: Path
) -> None:
    sender = tmp_path / "sender"
    shutil.copytree(ROOT / "shared", sender / "shared")
    (sender / "publisher").write_text(f"{world.amqp_url}\n")
    async with world.ingest():
        said = [await _started(one, sender) for one in _all_shown("python", GUIDE)]

    documents = {str(one["document_id"]) for one in await world.documents()}
    assert [one.split()[0] for one in said] == ["accepted", "accepted"]
    assert {one.split()[1] for one in said} == documents


async def _started(source: str, folder: Path) -> str:
    """What a whole program says. What it loads has to be in the two packages of the guide."""
    (folder / "program.py").write_text(source)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "importtime", "program.py"),
        cwd=folder,
        env={},
        stdout=PIPE,
        stderr=PIPE,
    )
    said, loaded = await process.communicate()
    assert process.returncode == 0, loaded.decode()[-2000:]
    lines = REQUIREMENTS.read_text().splitlines()
    others = {re.split(r"\W", one)[0] for one in lines if not one.startswith("#")} - NEEDED
    assert others
    modules = {line.rpartition("|")[2].strip() for line in loaded.decode().splitlines()}
    assert not {one.partition(".")[0] for one in modules} & others
    return said.decode()


async def test_the_message_of_the_guide_is_taken_in(world: Outside) -> None:
    properties = Basic.Properties(
        content_type="application/json", delivery_mode=2, priority=3, message_id="of-the-guide"
    )
    async with world.ingest():
        async with raw_channel(world.amqp_url) as channel:
            await channel.basic_publish(
                _shown("json", GUIDE).encode(),
                exchange="ingest",
                routing_key="document.submit",
                properties=properties,
            )
        await eventually(world.documents, within_s=20)

    [document] = await world.documents()
    shown = json.loads(_shown("json", GUIDE))["body"]
    assert (document["owner_id"], document["filename"]) == ("acme", "invoice-17.pdf")
    assert (document["tags"], document["metadata"]) == (
        shown["tags"],
        shown["metadata"],
    )


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:shared|deploy)/[\w./-]+)`", GUIDE)))
)
def test_what_the_guide_points_to_is_there(path: str) -> None:
    assert (ROOT / path).exists()
