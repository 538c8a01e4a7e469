"""Every command of every README and guide, typed as it stands there."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.local import servers
from tests.house.commands_elsewhere import elsewhere
from tests.house.guides import Shown, commands
from tests.system.client import Client
from tests.system.guide_reader import WRITES_WHAT_IS_COMMITTED, Reader, reader_of

# What everybody sees first is typed every day, the other guides with all slow tests.
DAILY = "README.md"
# Some seconds each, for what is seldom changed.
SLOW = ("./paperline evaluate", "python -m deploy.samples.make", "PAPERLINE_EXTRACTION_CONFIG=")
NOT_EVERYWHERE = ("curl", "git", "openssl")
# What an index of packages is needed for, said where none answers.
NO_INDEX = "error sending request"


def _is_daily(one: Shown) -> bool:
    return str(one).startswith(DAILY) and not one.text.startswith(SLOW)


def _typed() -> list[object]:
    return [
        pytest.param(
            one,
            id=str(one),
            marks=[] if _is_daily(one) else [pytest.mark.slow],
        )
        for one in commands()
        if elsewhere(one) is None
    ]


@pytest.fixture(scope="module")
async def reader(client: Client, folder: Path) -> AsyncIterator[Reader]:
    async with reader_of(client, folder / "guides" / "checkout") as typing:
        yield typing


@pytest.mark.parametrize("shown", _typed())
async def test_what_is_shown_works_as_it_stands_there(shown: Shown, reader: Reader) -> None:
    program = shown.text.split()[0]
    if program in NOT_EVERYWHERE and shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")

    if program.startswith("rabbitmq") and servers.rabbitmq_tree() is not None:
        pytest.skip("the broker's programs are in a tree of their own")

    said = await reader.types(shown.text)
    if program == "deploy/lock.sh" and NO_INDEX in said.complaints:
        pytest.skip("no index of packages answers")

    assert said.code == 0, f"{shown} shows\n{shown.text}\n{said.story}"
    assert not said.lacks(shown.fields), f"{shown}: it answers\n{said.output}"
    if WRITES_WHAT_IS_COMMITTED.search(shown.text):
        assert not reader.changed(), f"{shown}: what it writes is not what is committed"
