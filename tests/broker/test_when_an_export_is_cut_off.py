"""Storage as a process: exports over HTTP, and one that it was killed in the middle of."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import shared.access
from shared.blobs.open import open_blobs
from shared.database.migrations import migrate
from tests import builders
from tests.broker.storage_process import Outside, outside
from tests.eventually import eventually
from tests.house.repository import ROOT

DOCUMENTS = 12
ACCESS = Path(shared.access.__file__).parent / "migrations"
# So short that a killed process is missed within the test; a page for each four documents.
SHORT = {"PAPERLINE_EXPORT_LEASE_S": "3", "PAPERLINE_EXPORT_PAGE_RESULTS": "4"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    url = f"file://{tmp_path}/blobs"
    async with outside(tmp_path, open_blobs(url), {"PAPERLINE_BLOBS_URL": url}) as world:
        await migrate(world.database_url, schema="access", locations=[ACCESS], role=None)
        yield world


async def key_for(world: Outside) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shared.access", "issue"),
        *("--owner", builders.OWNER, "--role", "submitter"),
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PAPERLINE_DATABASE_URL": world.database_url},
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return said.decode().strip()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def serving(world: Outside, key: str, failpoint: str = "") -> AsyncIterator[Any]:
    port = free_port()
    settings = {**SHORT, "PAPERLINE_API_PORT": str(port)}
    async with (
        world.storage(door="all", failpoint=failpoint, **settings) as process,
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {key}"},
            timeout=20,
        ) as client,
    ):
        await eventually(lambda: _answers(client), within_s=30)
        yield process, client


async def _answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/v1/exports/jobs")).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize(
    "failpoint",
    [
        "storage.export_page:kill:2",
        # Everything is written, and nobody knows it: what lies there is nobody's.
        pytest.param("storage.export_written:kill", marks=pytest.mark.slow),
    ],
)
async def test_a_killed_export_is_made_by_the_next_process(
    world: Outside, failpoint: str
) -> None:
    key = await key_for(world)
    ordered = await world.order(DOCUMENTS)
    async with serving(world, key) as (_, client):
        await eventually(lambda: world.are_whole(ordered), within_s=30)
        streamed = await client.get("/v1/exports?format=csv")
    async with serving(world, key, failpoint) as (process, client):
        begun = await client.post("/v1/exports", json={"format": "jsonl"})
        await process.wait()

    async with serving(world, key) as (_, client):
        home = begun.headers["Location"]
        await eventually(lambda: _is(client, home, "completed"), within_s=30)
        shown = (await client.get(home)).json()
        file = await client.get(f"{home}/download")
        # What the first run has written goes.
        second = f"exports/{shown['export_id']}/2/000000"
        await eventually(lambda: _is_all_there_is(world, second), within_s=30)

    assert process.returncode == -9
    assert streamed.text.count("\r\n") == DOCUMENTS + 1
    found = [json.loads(line)["document_id"] for line in file.text.splitlines()]
    assert sorted(found) == sorted(map(str, ordered))
    assert (shown["done"], shown["size_bytes"]) == (DOCUMENTS, len(file.content))
    assert shown["failure"] is None


async def _is_all_there_is(world: Outside, key: str) -> bool:
    return [one async for one in world.blobs.list("exports/")] == [key]


async def _is(client: httpx.AsyncClient, home: str, status: str) -> bool:
    return bool((await client.get(home)).json()["status"] == status)


async def test_without_a_key_of_ours_nobody_is_served(world: Outside) -> None:
    key = await key_for(world)
    async with serving(world, key) as (_, client):
        refused = await client.get("/v1/exports", headers={"Authorization": "Bearer x"})
        described = await client.get("/openapi.json")

    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert "/v1/consumers/{name}/batches" in described.json()["paths"]
