"""Servers that are started once for all conformance suites."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.blobs.open import BlobOptions
from tests.conformance.database import database_for_all
from tests.conformance.seaweed import seaweed


@pytest.fixture(scope="session", autouse=True)
async def _database() -> AsyncIterator[None]:
    async with database_for_all():
        yield


@pytest.fixture(scope="session")
async def s3_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BlobOptions]:
    folder: Path = tmp_path_factory.mktemp("seaweed")
    async with seaweed(folder) as options:
        yield options
