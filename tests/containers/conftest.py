"""One engine, and one stack in it, for all tests: building and starting takes minutes."""

from collections.abc import AsyncIterator

import pytest

from deploy.secrets.files import COMPOSE, folders, passwords, write
from tests.containers.engine import Engine, engine
from tests.house.repository import ROOT

UP_WITHIN_S = 600


@pytest.fixture(scope="session")
async def containers() -> AsyncIterator[Engine]:
    async with engine(ROOT / ".paperline" / "containers") as one:
        yield one


@pytest.fixture(scope="session")
async def stack(containers: Engine) -> AsyncIterator[Engine]:
    secrets = ROOT / "secrets"
    if not secrets.exists():
        write(secrets, folders(passwords({}), COMPOSE))
    try:
        containers.compose("up", "--detach", "--wait", "--no-build", within_s=UP_WITHIN_S)
        yield containers
    finally:
        containers.compose("down", "--volumes", "--timeout", "45", within_s=UP_WITHIN_S)
