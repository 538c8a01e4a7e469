"""Where a stack's database, broker and object store are, and with whose rights each is used.

`DATABASE_URL`, `AMQP_URL` and `S3_ENDPOINT` in the environment replace the private part. One
account given by the user then serves every service: rights are the user's to divide.
"""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from deploy.local import postgres, rabbitmq
from deploy.local.credentials import READER, SERVICES, USERS
from deploy.local.errors import StackError
from deploy.local.ports import remembered
from deploy.local.state import State


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses with accounts; `database`, `amqp` and `broker_api` have one per user."""

    database_owner: str
    database_reader: str
    database: dict[str, str]
    amqp: dict[str, str]
    broker_api: dict[str, str]
    blobs: dict[str, str]


def has_private_database() -> bool:
    return not os.environ.get("DATABASE_URL")


def has_private_broker() -> bool:
    return not os.environ.get("AMQP_URL")


def has_private_store() -> bool:
    return not os.environ.get("S3_ENDPOINT")


def endpoints(state: State) -> Endpoints:
    owner, reader, database = _database(state)
    amqp, broker_api = _broker(state)
    return Endpoints(owner, reader, database, amqp, broker_api, _blobs(state))


def _database(state: State) -> tuple[str, str, dict[str, str]]:
    if not has_private_database():
        given = os.environ["DATABASE_URL"]
        return given, given, dict.fromkeys(SERVICES, given)
    port, way = _port(state, postgres.COMPONENT), _way(state, postgres.COMPONENT)
    roles = {
        service: postgres.url(state, way, role=f"paperline_{service}") for service in SERVICES
    }
    owner, reader = (postgres.url(state, port, role=one) for one in ("paperline", READER))
    return owner, reader, roles


def _broker(state: State) -> tuple[dict[str, str], dict[str, str]]:
    if not has_private_broker():
        given = os.environ["AMQP_URL"]
        api = os.environ.get("AMQP_API_URL") or _guess_api(given)
        return dict.fromkeys(USERS, given), dict.fromkeys(USERS, api)
    amqp, api_port = _port(state, "amqp"), _port(state, "broker_api")
    ways = dict.fromkeys(USERS, amqp) | dict.fromkeys(SERVICES, _way(state, "amqp"))
    return (
        {user: rabbitmq.amqp_url(state, ways[user], user=user) for user in USERS},
        {user: rabbitmq.api_url(state, api_port, user=user) for user in USERS},
    )


def _guess_api(amqp_url: str) -> str:
    """The management API of the same host, on its default port."""
    parts = urlsplit(amqp_url)
    login, _, _ = parts.netloc.rpartition("@")
    tls = parts.scheme == "amqps"
    scheme, port = ("https", 15671) if tls else ("http", 15672)
    return f"{scheme}://{login}{'@' if login else ''}{parts.hostname}:{port}"


def _blobs(state: State) -> dict[str, str]:
    endpoint = os.environ.get("S3_ENDPOINT")
    if not endpoint:
        # A folder may be called `C# 100%`, of which a URL would understand something else.
        return {"PAPERLINE_BLOBS_URL": state.blobs.as_uri()}
    wanted = ("S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_BUCKET")
    missing = [name for name in wanted if not os.environ.get(name)]
    if missing:
        raise StackError(f"S3_ENDPOINT is set; please set {', '.join(missing)} as well")
    given = {
        "PAPERLINE_BLOBS_URL": f"s3://{os.environ['S3_BUCKET']}",
        "PAPERLINE_S3_ENDPOINT": endpoint,
        "PAPERLINE_S3_ACCESS_KEY": os.environ["S3_ACCESS_KEY"],
        "PAPERLINE_S3_SECRET_KEY": os.environ["S3_SECRET_KEY"],
    }
    region = os.environ.get("S3_REGION")
    return given | ({"PAPERLINE_S3_REGION": region} if region else {})


def _way(state: State, name: str) -> int:
    """The port at which services reach it: its own, or that of somebody in between, as tests
    of a bad network have one."""
    between = os.environ.get(f"PAPERLINE_STACK_{name.upper()}_PORT")
    return int(between) if between else _port(state, name)


def _port(state: State, name: str) -> int:
    port = remembered(state).get(name)
    if port is None:
        raise StackError("This stack was never started: ./paperline up")
    return port
