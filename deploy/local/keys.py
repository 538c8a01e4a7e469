"""How the person at this machine, and programs of theirs, get in: kept in the state folder.

The API key opens everything on this stack, and the broker's address holds a password, so both
files are readable by their owner only. A key the database no longer knows (a new database, a
revoked key) is replaced at the next `up`.
"""

import http

from deploy.local import ports, services, tls
from deploy.local.endpoints import Endpoints
from deploy.local.errors import StackError
from deploy.local.report import step
from deploy.local.state import State, write_private
from shared.client import Client, Refused


def ensure_key(state: State, reach: Endpoints) -> None:
    path = state.root / "key"
    if path.exists() and _opens(address(state), remembered(state)):
        return
    with step("API key") as work:
        issued = services.run_module(
            ["shared.access", "issue", "--owner", "local", "--role", "admin"],
            {"PAPERLINE_DATABASE_URL": reach.database["ingest"]},
        )
        write_private(path, issued.stdout.strip().splitlines()[-1] + "\n")
        work.note(f"in {path}")


def write_publisher(state: State, reach: Endpoints) -> None:
    """Where a program hands documents in by message, with an account that can do only that."""
    write_private(state.root / "publisher", f"{reach.amqp['publisher']}\n")


def remembered(state: State) -> str:
    try:
        return (state.root / "key").read_text().strip()
    except FileNotFoundError:
        raise StackError("This stack was never started: ./paperline up") from None


def address(state: State) -> str:
    return tls.address(ports.remembered(state)["ingest_api"])


def _opens(url: str, key: str) -> bool:
    try:
        with Client(url, key, ca_file=tls.authority()) as door:
            door.page(limit=1)
    except Refused as refusal:
        return refusal.status != http.HTTPStatus.UNAUTHORIZED
    return True
