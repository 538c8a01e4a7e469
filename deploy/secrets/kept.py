"""What earlier runs have said, read out of the files that they wrote.

A plain run keeps all of it: an upgrade would otherwise open what was closed, and send services
to hosts that are not there. No second file remembers it, which could say something else than
what the containers go by.
"""

import json
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from deploy.secrets.files import AUTHORITY, COMPOSE, DEFINITIONS, Hosts


def hosts(root: Path) -> Hosts:
    """Those of compose, where nothing was said yet."""
    broker = _address(root / "topology" / "paperline_topology_amqp_url")
    database = _address(root / "ingest" / "paperline_database_url")
    tls, authority = broker.scheme == "amqps", root / "topology" / AUTHORITY
    return Hosts(
        _host(database) or COMPOSE.database,
        _host(broker) or COMPOSE.broker,
        tls,
        authority.read_text() if tls and authority.exists() else "",
    )


def hashes(root: Path) -> dict[str, str]:
    """By user of the broker: those that it may have been told."""
    file = root / "broker" / DEFINITIONS
    users = json.loads(file.read_text())["users"] if file.exists() else []
    return {user["name"]: user["password_hash"] for user in users}


def _address(file: Path) -> SplitResult:
    return urlsplit(file.read_text() if file.exists() else "")


def _host(address: SplitResult) -> str:
    """As it was written: capitals, too."""
    return address.netloc.rpartition("@")[2].rpartition(":")[0]
