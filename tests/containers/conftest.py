"""One engine for all tests, and one stack in it at a time: both take minutes to come up."""

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.certificates.making import SERVERS, make
from deploy.secrets.files import COMPOSE, Folders, Hosts, folders, passwords, write
from tests.containers.engine import Engine, engine
from tests.house.compose_files import MAIN, TLS
from tests.house.repository import ROOT, SERVICES

# As the README has them.
UP = "docker compose --profile core up --wait"
FIRST_KEY = (
    "docker compose run --rm --entrypoint python ingest"
    " -m shared.access issue --owner local --role admin"
)
UP_WITHIN_S = 600
# Two folders below each other: what is copied lies beside the checkout.
GUIDED = ROOT / ".paperline" / "containers" / "guided"
JOBS = ("topology", *(f"migrate-{service}" for service in SERVICES))
CONTAINERS = {"broker", "database", "objects", *SERVICES, *JOBS}


@pytest.fixture(scope="session")
async def containers() -> AsyncIterator[Engine]:
    async with engine(ROOT / ".paperline" / "containers") as one:
        yield one


@pytest.fixture(scope="module")
async def stack(containers: Engine) -> AsyncIterator[Engine]:
    secrets = ROOT / "secrets"
    if not secrets.exists():
        write(secrets, folders(passwords({}), COMPOSE))
    with _up(containers) as running:
        yield running


@pytest.fixture(scope="module")
async def closed_stack(containers: Engine) -> AsyncIterator[Engine]:
    """Over TLS, with secrets of its own: those of the folder above may be somebody's."""
    folder = ROOT / ".paperline" / "containers" / "closed"
    make(folder / "tls", {server: [server] for server in SERVERS})
    authority = (folder / "tls" / "ca.pem").read_text()
    hosts = Hosts(COMPOSE.database, COMPOSE.broker, tls=True, authority=authority)
    over = _secrets_in(folder, folders(passwords({}), hosts), tls=True)
    files = (MAIN, TLS, str(over))
    with _up(replace(containers, files=files)) as running:
        yield running


@pytest.fixture(scope="module")
async def guided_stack(containers: Engine) -> AsyncIterator[Engine]:
    """Of the reader of a guide, who changes secrets too: so they have a folder of their own."""
    shutil.rmtree(GUIDED, ignore_errors=True)
    made = passwords({})
    over = _secrets_in(GUIDED / "home", folders(made, COMPOSE))
    (GUIDED / "home" / "secrets" / "passwords.json").write_text(json.dumps(made))
    with _up(replace(containers, files=(str(ROOT / MAIN), str(over)))) as running:
        yield running


def _secrets_in(folder: Path, told: Folders, *, tls: bool = False) -> Path:
    """What is laid over the compose file, so that containers find theirs there."""
    write(folder / "secrets", told)
    mounted = {
        name: [f"{folder}/secrets/{name}:/run/secrets:ro"]
        + ([f"{folder}/tls/{name}:/run/tls:ro"] if tls and name in SERVERS else [])
        for name in told
        if name in CONTAINERS
    }
    over = folder / "mounted.json"
    over.write_text(json.dumps({"services": {n: {"volumes": v} for n, v in mounted.items()}}))
    return over


@contextmanager
def _up(one: Engine) -> Iterator[Engine]:
    try:
        one.types(UP, within_s=UP_WITHIN_S)
        yield one
    finally:
        one.compose("down", "--volumes", "--timeout", "45", within_s=UP_WITHIN_S)


def first_key(stack: Engine, folder: Path) -> Path:
    """Shown once, on the last line, and kept in a file."""
    file = folder / "key"
    file.write_text(stack.types(FIRST_KEY).split()[-1])
    return file
