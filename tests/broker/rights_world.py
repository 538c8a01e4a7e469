"""All schemas and roles on one database, all users on one virtual host: as installed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import urlsplit

import asyncpg

import shared.access
import shared.audit
import shared.ledger
import shared.limits
from deploy.local.broker_users import definitions
from deploy.local.credentials import READER, USERS
from deploy.local.roles import OWNER, closing_statements, reader_statements
from shared.topology.declare import apply
from shared.topology.plan import plan
from tests.broker.access_world import SERVICES, role_of
from tests.broker.database import Servers, migrations_of, own_database
from tests.broker.tables import make_tables
from tests.broker.vhosts import BrokerApi, own_vhost
from tests.house.repository import ROOT

ADDED = {service: [migrations_of(shared.limits)] for service in SERVICES}
for _service in ("ingest", "storage", "review", "monitor"):
    ADDED[_service].append(migrations_of(shared.audit))


@dataclass(frozen=True, slots=True)
class Installed:
    """A database with everything in it, entered as its server's owner."""

    url: str

    @asynccontextmanager
    async def entered_as(self, role: str) -> AsyncIterator[asyncpg.Connection]:
        """As by its own password: neither may become the one who came in."""
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(f"SET SESSION AUTHORIZATION {role}")
            yield connection
        finally:
            await connection.close()


@asynccontextmanager
async def installed_database() -> AsyncIterator[Installed]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(own_database())
        roles = [OWNER, READER, *(f"{OWNER}_{service}" for service in SERVICES)]
        for role in roles:
            await stack.enter_async_context(role_of(url, role))
        connection = await asyncpg.connect(url)
        stack.push_async_callback(connection.close)
        name = urlsplit(url).path.removeprefix("/")
        await connection.execute(f"ALTER DATABASE {name} OWNER TO {OWNER}")
        for statement in (*closing_statements(name), *reader_statements(name)):
            await connection.execute(statement)
        await connection.execute(f"SET SESSION AUTHORIZATION {OWNER}")
        await make_tables(
            connection,
            schema="access",
            locations=[migrations_of(shared.access)],
            role=f"{OWNER}_ingest",
        )
        for service in SERVICES:
            own = ROOT / "services" / service / "migrations"
            await make_tables(
                connection,
                schema=service,
                locations=[migrations_of(shared.ledger), own, *ADDED[service]],
                role=f"{OWNER}_{service}",
            )
        await connection.execute("RESET SESSION AUTHORIZATION")
        yield Installed(url)


@asynccontextmanager
async def installed_broker() -> AsyncIterator[dict[str, str]]:
    """The address of each user, on a virtual host that holds the whole plan."""
    async with own_vhost() as url, AsyncExitStack() as stack:
        await apply(url, plan())
        api_url = Servers().amqp_api_url
        assert api_url is not None
        api, parts, mark = BrokerApi(api_url), urlsplit(url), token_hex(4)
        vhost = parts.path.removeprefix("/")
        passwords = {user: token_hex(8) for user in USERS}
        told = definitions({f"broker_{user}": password for user, password in passwords.items()})
        for user, password in passwords.items():
            name = f"{user}-{mark}"
            stack.push_async_callback(api.call, "DELETE", f"users/{name}")
            await api.call("PUT", f"users/{name}", {"password": password, "tags": ""})
        await asyncio.gather(
            *(
                api.call("PUT", f"{kind}/{vhost}/{one['user']}-{mark}", _rights(one))
                for kind, ones in (
                    ("permissions", told["permissions"]),
                    ("topic-permissions", told["topic_permissions"]),
                )
                for one in ones
            )
        )
        yield {
            user: parts._replace(
                netloc=f"{user}-{mark}:{password}@{parts.hostname}:{parts.port}"
            ).geturl()
            for user, password in passwords.items()
        }


def _rights(told: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in told.items() if name not in ("user", "vhost")}
