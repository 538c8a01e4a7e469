"""Servers that are started once for all conformance suites, and every store of blobs."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from shared.blobs.open import BlobOptions, open_blobs
from shared.blobs.port import Blobs
from tests.conformance.database import database_for_all
from tests.conformance.seaweed import BUCKET, seaweed
from tests.fakes.blobs import InMemoryBlobs


@pytest.fixture(scope="session", autouse=True)
async def _database() -> AsyncIterator[None]:
    async with database_for_all():
        yield


@pytest.fixture(scope="session")
async def s3_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BlobOptions]:
    folder: Path = tmp_path_factory.mktemp("seaweed")
    async with seaweed(folder) as options:
        yield options


@pytest.fixture(params=["memory", "filesystem", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "memory":
        return InMemoryBlobs()
    if request.param == "filesystem":
        return open_blobs(f"file://{tmp_path}/blobs")
    options: BlobOptions = request.getfixturevalue("s3_server")
    return open_blobs(f"s3://{BUCKET}/{uuid4().hex}", options)
