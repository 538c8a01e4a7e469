"""Sign-ins of people at the pages: valid at every service, ended at once.

The token is all a browser holds, and only its hash is kept. A session lives no longer than the
key it was begun with, or than the identity provider that vouched for the person is believed;
it ends after half an hour without a click, and after twelve hours anyway. That of a person ends
sooner: whom the provider does not know any more is let in no longer than it was asked about.
"""

import time
from collections.abc import Callable

from shared.access.access import caller_of
from shared.access.keys import Caller, fingerprint, is_session, new_session
from shared.access.provider import Person, Provider, caller_for
from shared.access.recent import RecentCallers
from shared.database.pool import Pool, Row
from shared.database.statements import statement

CREATE_SESSION = statement(__file__, "create_session")
CREATE_SESSION_OF_PERSON = statement(__file__, "create_session_of_person")
END_SESSION = statement(__file__, "end_session")
END_SESSIONS = statement(__file__, "end_sessions")
FIND_SESSION = statement(__file__, "find_session")
PURGE_SESSIONS = statement(__file__, "purge_sessions")
TOUCH_SESSION = statement(__file__, "touch_session")

IDLE_S = 30 * 60.0
ABSOLUTE_S = 12 * 3600.0
# A click moves the end of the idle time, but not each click writes a row.
TOUCH_EVERY_S = 60.0
PURGE_AFTER_S = 24 * 3600.0


class Sessions:
    """Creating is for ingest's role; every service's role may verify and sign out."""

    def __init__(
        self,
        pool: Pool,
        provider: Provider | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`provider`: who is believed now; sessions of anybody else's people open nothing."""
        self._pool = pool
        self._provider = provider
        self._monotonic = monotonic
        self._recent = RecentCallers(monotonic)

    async def create(self, caller: Caller) -> str:
        """A new token for each sign-in: one that was planted before it is worth nothing."""
        token = new_session()
        await self._pool.execute(CREATE_SESSION, fingerprint(token), caller.key_id, ABSOLUTE_S)
        return token

    async def create_for(self, person: Person, lifetime_s: float = ABSOLUTE_S) -> str:
        """Ends what else is open for them under other roles: what the provider says last
        holds, and for so long."""
        if self._provider is None:
            raise ValueError("without a provider nobody vouches for a person")
        token = new_session()
        await self._pool.execute(
            CREATE_SESSION_OF_PERSON,
            fingerprint(token),
            person.person_id,
            self._provider.issuer,
            person.owner_id,
            person.name,
            [*person.words],
            min(lifetime_s, ABSOLUTE_S),
        )
        self._recent.forget_all()
        return token

    async def verify(self, token: str) -> Caller | None:
        if not is_session(token):
            return None
        shown = fingerprint(token)
        return self._recent.find(shown) or await self._ask(shown)

    async def end(self, token: str) -> bool:
        """True when it was alive until now. Every service's role may do this too."""
        shown = fingerprint(token)
        self._recent.forget(shown)
        return await self._pool.fetchval(END_SESSION, shown) is not None

    async def end_all(self, owner_id: str) -> int:
        """Sign somebody out everywhere, after a change of what they may do."""
        self._recent.forget_all()
        return len(await self._pool.fetch(END_SESSIONS, owner_id))

    async def purge(self) -> int:
        return len(await self._pool.fetch(PURGE_SESSIONS, PURGE_AFTER_S))

    async def _ask(self, shown: bytes) -> Caller | None:
        asked_at = self._monotonic()
        issuer = self._provider and self._provider.issuer
        row = await self._pool.fetchrow(FIND_SESSION, shown, IDLE_S, issuer)
        if row is None:
            return None
        if row["idle_s"] >= TOUCH_EVERY_S:
            await self._pool.execute(TOUCH_SESSION, shown)
        caller = self._caller(row)
        self._recent.keep(shown, caller, asked_at=asked_at)
        return caller

    def _caller(self, row: Row) -> Caller:
        if self._provider is None or row["person_id"] is None:
            return caller_of(row)
        named = (row["person_id"], row["owner_id"], row["name"])
        return caller_for(Person(*named, words=tuple(row["words"])), self._provider)
