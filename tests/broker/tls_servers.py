"""A PostgreSQL and a RabbitMQ of a test's own that speak TLS, and the broker nothing else.

Made as the local stack makes its servers, with certificates of `deploy.certificates`. The
database keeps its plain door, as most do; that nobody of ours goes through it is what is tried.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from deploy.certificates.making import make
from deploy.local import ports, postgres, rabbitmq
from deploy.local.account import node_account, node_folder
from deploy.local.credentials import credentials
from deploy.local.nodes import start_nodes, stop_nodes
from deploy.local.state import State

SERVER, NUMBER = "localhost", "127.0.0.1"
MANAGEMENT = "broker_api_tls"


@dataclass(frozen=True, slots=True)
class TlsServers:
    state: State
    certificates: Path
    # Of another authority, which nobody here was certified by.
    strangers: Path

    @property
    def ca_file(self) -> Path:
        return self.certificates / "ca.pem"

    @property
    def another_ca_file(self) -> Path:
        return self.strangers / "ca.pem"

    @property
    def database_url(self) -> str:
        port = ports.remembered(self.state)[postgres.COMPONENT]
        url = postgres.admin_url(self.state, port, database="paperline")
        return f"{_named(url, SERVER)}?sslmode=verify-full"

    @property
    def amqp_url(self) -> str:
        url = rabbitmq.amqp_url(self.state, ports.remembered(self.state)["amqp"], user="admin")
        return _named(url, SERVER).replace("amqp://", "amqps://")

    @property
    def amqp_api_url(self) -> str:
        url = rabbitmq.api_url(
            self.state, ports.remembered(self.state)[MANAGEMENT], user="admin"
        )
        return _named(url, SERVER).replace("http://", "https://")

    def pair(self, server: str) -> tuple[Path, Path]:
        home = self.certificates / server
        return home / "tls.crt", home / "tls.key"


@asynccontextmanager
async def tls_servers(folder: Path) -> AsyncIterator[TlsServers]:
    state = State(folder.resolve())
    await asyncio.to_thread(stop_nodes, state)
    shutil.rmtree(folder, ignore_errors=True)
    state.create()
    # By their number, servers are called under a name that they are not certified for.
    names = {server: [SERVER] for server in ("database", "broker", "objects")}
    servers = TlsServers(state, state.root / "certificates", state.root / "strangers")
    make(servers.certificates, {**names, "desk": [SERVER, NUMBER]}, also=())
    make(servers.strangers, {"broker": [SERVER]}, also=())
    credentials(state)
    ports.ensure(state, [*rabbitmq.PORTS, MANAGEMENT])
    _configure_broker(servers)
    try:
        await asyncio.to_thread(start_nodes, state)
        await _configure_database(servers)
        yield servers
    finally:
        await asyncio.to_thread(stop_nodes, state)


async def _configure_database(servers: TlsServers) -> None:
    folder = _copy(servers, postgres.COMPONENT, servers.certificates / "database")
    connection = await asyncpg.connect(_plain(servers))
    for name, value in {
        "ssl_cert_file": folder / "tls.crt",
        "ssl_key_file": folder / "tls.key",
        "ssl_min_protocol_version": "TLSv1.2",
        "ssl": "on",
    }.items():
        await connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    await connection.execute("SELECT pg_reload_conf()")
    await connection.close()


def _configure_broker(servers: TlsServers) -> None:
    """As deploy/compose/rabbitmq-tls.conf says it, in the words of the file that comes last."""
    folder = _copy(servers, rabbitmq.COMPONENT, servers.certificates / "broker")
    known = ports.remembered(servers.state)
    pair = f'{{certfile,"{folder}/tls.crt"}},{{keyfile,"{folder}/tls.key"}}'
    options = f"[{pair},{{versions,['tlsv1.3','tlsv1.2']}},{{verify,verify_none}}]"
    listener = f'[{{"127.0.0.1",{known["amqp"]}}}]'
    at = f'{{port,{known[MANAGEMENT]}}},{{ip,"127.0.0.1"}}'
    management = f"{at},{pair},{{versions,['tlsv1.3','tlsv1.2']}}"
    (folder / "advanced.config").write_text(
        f"[{{rabbit,[{{tcp_listeners,[]}},{{ssl_listeners,{listener}}},"
        f"{{ssl_options,{options}}}]}},"
        f"{{rabbitmq_management,[{{ssl_config,[{management}]}}]}}].\n"
    )


def _copy(servers: TlsServers, component: str, home: Path) -> Path:
    """Into the server's own folder, for its own account: PostgreSQL refuses any other key."""
    account = node_account()
    folder = node_folder(servers.state, component, account)
    for name in ("tls.crt", "tls.key"):
        path = folder / name
        path.unlink(missing_ok=True)
        path.write_bytes((home / name).read_bytes())
        path.chmod(0o600)
        if account is not None:
            os.chown(path, account.uid, account.gid)
    return folder


def _plain(servers: TlsServers) -> str:
    port = ports.remembered(servers.state)[postgres.COMPONENT]
    return postgres.admin_url(servers.state, port, database="paperline")


def _named(url: str, host: str) -> str:
    parts = urlsplit(url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{login}@{host}:{parts.port}").geturl()
