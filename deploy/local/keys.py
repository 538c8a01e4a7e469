"""The API key of the person at this machine, made once and kept in the state folder.

It opens everything on this stack, so the file is readable by its owner only, and a key the
database no longer knows (a new database, a revoked key) is replaced at the next `up`.
"""

import http

from deploy.local import ports, services
from deploy.local.client import Client, Refused
from deploy.local.endpoints import Endpoints
from deploy.local.errors import StackError
from deploy.local.report import step
from deploy.local.state import State, write_private


def ensure_key(state: State, reach: Endpoints) -> None:
    path = state.root / "key"
    if path.exists() and _opens(client(state)):
        return
    with step("API key") as work:
        issued = services.run_module(
            ["shared.access", "issue", "--owner", "local", "--role", "admin"],
            {"PAPERLINE_DATABASE_URL": reach.database["ingest"]},
        )
        write_private(path, issued.stdout.strip().splitlines()[-1] + "\n")
        work.note(f"in {path}")


def client(state: State) -> Client:
    try:
        key = (state.root / "key").read_text().strip()
    except FileNotFoundError:
        raise StackError("This stack was never started: ./paperline up") from None
    return Client(f"http://127.0.0.1:{ports.remembered(state)['ingest_api']}", key)


def _opens(door: Client) -> bool:
    try:
        door.documents(limit=1)
    except Refused as refusal:
        return refusal.status != http.HTTPStatus.UNAUTHORIZED
    return True
