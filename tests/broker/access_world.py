"""The schema of the keys in a database of its own, seen by its owner and by two services.

The roles of the services carry fixed names, because the migration grants to these names; one
that another session made on the same server is used and left alone.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_hex

import asyncpg

import shared.access
from shared.access.access import Access
from shared.access.keys import Caller, key_id_of
from shared.access.provider import Person, Provider
from shared.access.sessions import Sessions
from shared.database.migrations import migrate
from shared.database.pool import DatabaseSettings, Pool, open_pool
from tests.broker.database import own_database

PROVIDER = Provider(
    issuer="https://id.example",
    audience="paperline",
    roles={"desk": "reviewer", "in": "submitter"},
)
SERVICES = ("ingest", "extractor", "storage", "review", "monitor")


@dataclass(frozen=True, slots=True)
class AccessSchema:
    url: str
    owner: Pool
    ingest: Pool
    review: Pool

    def url_of(self, service: str) -> str:
        return f"{self.url}?role=paperline_{service}"


@dataclass
class World:
    """One owner of keys, and the time that the processes of the services believe in."""

    schema: AccessSchema
    now_s: float = 100.0
    owner_id: str = field(default_factory=lambda: f"acme-{token_hex(4)}")

    def access(self, pool: Pool | None = None) -> Access:
        """As a process of its own would have it, with nothing remembered."""
        return Access(pool or self.schema.ingest, lambda: self.now_s)

    def sessions(self, pool: Pool | None = None, provider: Provider | None = None) -> Sessions:
        return Sessions(pool or self.schema.ingest, provider, lambda: self.now_s)

    def person(self, *words: str) -> Person:
        """The same one each time, whatever they may do now."""
        return Person(f"oidc-{self.owner_id}", self.owner_id, "Anna Petersen", words)

    async def key(self, *roles: str, lifetime_s: float | None = None) -> str:
        return await self.access().issue(
            owner_id=self.owner_id,
            name="test",
            roles=roles or ("submitter",),
            lifetime_s=lifetime_s,
        )

    async def caller(self, *roles: str) -> Caller:
        caller = await self.access().authenticate(await self.key(*roles))
        assert caller is not None
        return caller


def id_of(key: str) -> str:
    return key_id_of(key) or ""


@asynccontextmanager
async def access_schema() -> AsyncIterator[AccessSchema]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(own_database())
        for service in SERVICES:
            await stack.enter_async_context(role_of(url, f"paperline_{service}"))
        await migrate(
            url,
            schema="access",
            locations=[shared.access.MIGRATIONS],
            role="paperline_ingest",
        )
        pools = [
            await open_pool(DatabaseSettings(one), schema="access", application="test")
            for one in (url, f"{url}?role=paperline_ingest", f"{url}?role=paperline_review")
        ]
        for pool in pools:
            stack.push_async_callback(pool.close)
        yield AccessSchema(url, *pools)


@asynccontextmanager
async def role_of(url: str, role: str) -> AsyncIterator[None]:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"CREATE ROLE {role}")
        ours = True
    except asyncpg.DuplicateObjectError:
        ours = False
    try:
        yield
    finally:
        await connection.execute(f"DROP OWNED BY {role}")
        if ours:
            # Another session on this server may have granted to it meanwhile.
            with suppress(asyncpg.DependentObjectsStillExistError):
                await connection.execute(f"DROP ROLE {role}")
        await connection.close()
