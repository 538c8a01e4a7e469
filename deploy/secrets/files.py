"""Which container is told what, and in which file: named as the setting it is."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.local.broker_users import VHOST, definitions
from deploy.local.credentials import NAMES, SERVICES
from deploy.secrets.store_rights import identities

# Of no use outside of containers, so the local stack has none of them.
PASSWORDS = (
    *(name for name in NAMES if name != "erlang_cookie"),
    *(f"objects_key_{service}" for service in SERVICES),
    *(f"objects_secret_{service}" for service in SERVICES),
    "grafana_admin",
    "metrics_secret",
)
WITH_AN_API = ("ingest", "storage", "review", "monitor")
# In each folder, and so at /run/secrets: what PAPERLINE_CA_FILE names.
AUTHORITY = "ca.pem"
# The same for KEDA, which has a name of its own for it.
SCALERS_AUTHORITY = "ca"
DEFINITIONS = "definitions.json"
Folders = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where the servers are, as the containers call them."""

    database: str
    broker: str
    # Whether they are spoken to over TLS, and by whom their certificates have to be made.
    tls: bool = False
    authority: str = ""

    @property
    def broker_outside(self) -> str:
        """As a program calls it that is in no container: compose publishes the broker's port on
        loopback, and the name that it has inside is nobody's there."""
        return "127.0.0.1" if self.broker == COMPOSE.broker else self.broker


COMPOSE = Hosts(database="database", broker="broker")


def passwords(known: Mapping[str, str]) -> dict[str, str]:
    """Those that are missing are made; nothing that a server may know already is changed."""
    return {name: known.get(name) or secrets.token_urlsafe(24) for name in PASSWORDS}


def folders(
    made: Mapping[str, str], hosts: Hosts, hashes: Mapping[str, str] | None = None
) -> Folders:
    known = {AUTHORITY: hosts.authority} if hosts.authority else {}
    topology = known | {
        "paperline_topology_amqp_url": _amqp(made, hosts, "topology"),
        "paperline_topology_api_url": _broker_api(made, hosts, "topology"),
    }
    told: Folders = {service: known | _service(made, hosts, service) for service in SERVICES}
    for service in SERVICES:
        owner = {"paperline_migrate_url": _database(made, hosts, "paperline")}
        told[f"migrate-{service}"] = told[service] | owner
    told["topology"] = topology
    told["database"] = {
        name.removeprefix("database_"): made[name] for name in NAMES if "database_" in name
    }
    told["broker"] = {DEFINITIONS: json.dumps(definitions(made, hashes), indent=2)}
    told["objects"] = {"s3.json": _store(made)}
    told["grafana"] = {"admin_password": made["grafana_admin"]}
    told["prometheus"] = known | {"metrics_secret": made["metrics_secret"]}
    # For programs outside, which hand documents in by message.
    outside = replace(hosts, broker=hosts.broker_outside)
    told["publisher"] = known | {"amqp_url": _amqp(made, outside, "publisher")}
    told["scaler"] = _scaler(made, hosts)
    return told


def write(root: Path, told: Folders) -> list[str]:
    """The files that are new, gone or say something else than before. The folder above is its
    owner's alone; inside, a container's own user has to read."""
    changed = []
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    root.chmod(0o700)
    for folder, files in told.items():
        (root / folder).mkdir(exist_ok=True)
        (root / folder).chmod(0o755)
        for name, text in files.items():
            path = root / folder / name
            if not path.exists() or path.read_text() != text:
                _write(path, text)
                changed.append(f"{folder}/{name}")
        for name in {AUTHORITY, SCALERS_AUTHORITY} - files.keys():
            # Who speaks in the clear again believes nobody.
            if (root / folder / name).exists():
                (root / folder / name).unlink()
                changed.append(f"{folder}/{name}")
    return changed


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}")
    fresh.write_text(text)
    fresh.chmod(0o444)
    fresh.replace(path)


def _service(made: Mapping[str, str], hosts: Hosts, service: str) -> dict[str, str]:
    told = {
        "paperline_database_url": _database(made, hosts, f"paperline_{service}"),
        "paperline_amqp_url": _amqp(made, hosts, service),
        "paperline_s3_access_key": made[f"objects_key_{service}"],
        "paperline_s3_secret_key": made[f"objects_secret_{service}"],
        "paperline_metrics_secret": made["metrics_secret"],
    }
    if service in WITH_AN_API:
        told["paperline_cursor_secret"] = made["cursor_secret"]
    if service == "ingest":
        told["paperline_webhook_secret"] = made["webhook_secret"]
    if service == "monitor":
        told["paperline_broker_api_url"] = _broker_api(made, hosts, service)
    return told


def _database(made: Mapping[str, str], hosts: Hosts, role: str) -> str:
    verified = "?sslmode=verify-full" if hosts.tls else ""
    login = f"{role}:{made[f'database_{role}']}"
    return f"postgresql://{login}@{hosts.database}:5432/paperline{verified}"


def _amqp(made: Mapping[str, str], hosts: Hosts, user: str) -> str:
    scheme, port = ("amqps", 5671) if hosts.tls else ("amqp", 5672)
    return f"{scheme}://{user}:{made[f'broker_{user}']}@{hosts.broker}:{port}/{VHOST}"


def _broker_api(made: Mapping[str, str], hosts: Hosts, user: str) -> str:
    scheme, port = ("https", 15671) if hosts.tls else ("http", 15672)
    return f"{scheme}://{user}:{made[f'broker_{user}']}@{hosts.broker}:{port}"


def _scaler(made: Mapping[str, str], hosts: Hosts) -> dict[str, str]:
    """What scales workers looks at queues with the rights of the monitor. Named as KEDA's
    parameters: it believes an authority only where `tls` is enabled too."""
    known = {SCALERS_AUTHORITY: hosts.authority} if hosts.authority else {}
    return known | {
        "host": f"{_broker_api(made, hosts, 'monitor')}/{VHOST}",
        "tls": "enable" if hosts.tls else "disable",
    }


def _store(made: Mapping[str, str]) -> str:
    keys = {
        service: (made[f"objects_key_{service}"], made[f"objects_secret_{service}"])
        for service in SERVICES
    }
    return json.dumps({"identities": identities(keys)}, indent=2)
