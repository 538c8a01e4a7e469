"""API keys in PostgreSQL: who they belong to, and whether they still open anything.

Whether a key is alive is decided by the database's clock in the statement that reads it. When
the database is away nobody is let in: an error is not an answer.
"""

import hmac
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from shared.access.keys import NO_QUOTA, Caller, Quota, fingerprint, key_id_of, new_key
from shared.access.recent import RecentCallers
from shared.access.roles import check_roles, permissions_of
from shared.database.pool import Pool, Row
from shared.database.statements import statement

FIND_KEY = statement(__file__, "find_key")
ISSUE = statement(__file__, "issue")
LIMIT_KEY = statement(__file__, "limit_key")
LIST_KEYS = statement(__file__, "list_keys")
REVOKE = statement(__file__, "revoke")

# Compared with when there is no such key, so that both answers take the same time.
_NOBODY = bytes(32)


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What may be shown of a key."""

    key_id: str
    owner_id: str
    name: str
    roles: tuple[str, ...]
    scopes: tuple[str, ...]
    quota: Quota
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class Access:
    def __init__(self, pool: Pool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._pool = pool
        self._monotonic = monotonic
        self._recent = RecentCallers(monotonic)

    async def authenticate(self, key: str) -> Caller | None:
        """None for every key that opens nothing; the caller is not told why."""
        key_id = key_id_of(key)
        if key_id is None:
            return None
        shown = fingerprint(key)
        return self._recent.find(shown) or await self._ask(key_id, shown)

    async def issue(
        self,
        *,
        owner_id: str,
        name: str,
        roles: Collection[str],
        scopes: Collection[str] = (),
        lifetime_s: float | None = None,
        quota: Quota = NO_QUOTA,
    ) -> str:
        """The new key. It is shown here and never again."""
        check_roles(roles, scopes)
        key_id, key = new_key()
        of_key = (key_id, fingerprint(key), owner_id, name, [*roles], [*scopes], lifetime_s)
        await self._pool.execute(ISSUE, *of_key, quota.documents_per_day, quota.bytes_per_day)
        return key

    async def limit_key(self, key_id: str, quota: Quota) -> bool:
        """From its next request on, a few seconds later elsewhere. False: no such key."""
        self._recent.forget_all()
        agreed = (quota.documents_per_day, quota.bytes_per_day)
        return await self._pool.fetchval(LIMIT_KEY, key_id, *agreed) is not None

    async def revoke(self, key_id: str, *, actor: str, reason: str) -> bool:
        """True for whoever revoked it; its sessions end with it."""
        self._recent.forget_all()
        return await self._pool.fetchval(REVOKE, key_id, actor, reason) is not None

    async def list_keys(self, owner_id: str | None = None) -> list[KeyFacts]:
        """Newest first, the dead ones too; None lists everybody's."""
        return [_facts(row) for row in await self._pool.fetch(LIST_KEYS, owner_id)]

    async def _ask(self, key_id: str, shown: bytes) -> Caller | None:
        asked_at = self._monotonic()
        row = await self._pool.fetchrow(FIND_KEY, key_id)
        same = hmac.compare_digest(row["sha256"] if row else _NOBODY, shown)
        if row is None or not same or not row["is_alive"]:
            return None
        caller = caller_of(row)
        self._recent.keep(shown, caller, asked_at=asked_at)
        return caller


def caller_of(row: Row) -> Caller:
    return Caller(
        owner_id=row["owner_id"],
        key_id=row["key_id"],
        name=row["name"],
        roles=frozenset(row["roles"]),
        permissions=permissions_of(row["roles"], row["scopes"]),
        quota=_quota(row),
    )


def _facts(row: Row) -> KeyFacts:
    return KeyFacts(
        key_id=row["key_id"],
        owner_id=row["owner_id"],
        name=row["name"],
        roles=tuple(row["roles"]),
        scopes=tuple(row["scopes"]),
        quota=_quota(row),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def _quota(row: Row) -> Quota:
    return Quota(row["documents_per_day"], row["bytes_per_day"])
