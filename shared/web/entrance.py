"""What stands before the routes of every API: who comes in, how often, and how pages go on.

Put together once for all services, so that a key, a token or a sign-in means the same at each.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.access.access import Access
from shared.access.provider import Client, Provider
from shared.access.sessions import Sessions
from shared.audit.reader import AuditLog
from shared.clock import Clock
from shared.database.pool import Pool
from shared.limits.keyed import KeyedBuckets
from shared.process.api_settings import ApiSettings
from shared.web.audit import ReadableLog
from shared.web.bearer import Keys, KeysAndTokens
from shared.web.cursors import Cursors
from shared.web.guard import Authenticator, SessionKeeper
from shared.web.rates import Rates

if TYPE_CHECKING:
    from shared.web.sign_in import SignIns


@dataclass(frozen=True, slots=True)
class Entrance:
    authenticator: Authenticator
    cursors: Cursors
    sessions: SessionKeeper | None = None
    rates: Rates | None = None
    # Described only; the authenticator knows by itself.
    provider: Provider | None = None
    # Where people sign in with the provider; at ingest alone.
    sign_ins: "SignIns | None" = None
    # Of the service; for `shared.web.audit`.
    audit: ReadableLog | None = None

    def state(self) -> dict[str, object]:
        """For `build_app`."""
        return {
            "cursors": self.cursors,
            "sessions": self.sessions,
            "rates": self.rates,
            "provider": self.provider,
            "sign_ins": self.sign_ins,
            "audit": self.audit,
        }


def open_entrance(
    pool: Pool, settings: ApiSettings, clock: Clock, client: Client | None = None
) -> Entrance:
    """Needs `shared.limits` and `shared.audit` in the schema of the pool, and `access` beside
    it. With a `client`, people sign in here with the provider."""
    provider = settings.provider()
    sessions = Sessions(pool, provider)
    tokens: Keys | None = None
    sign_ins = None
    if provider is not None:
        # What verifies tokens is loaded where there is somebody who makes them.
        from shared.web.people import let_in  # noqa: PLC0415

        tokens, sign_ins = let_in(provider, client, sessions, pool, clock)
    return Entrance(
        authenticator=KeysAndTokens(Access(pool), tokens),
        cursors=Cursors(settings.cursor_secret.get_secret_value()),
        sessions=sessions,
        rates=KeyedBuckets(pool, rate_per_s=settings.key_rate_per_s, burst=settings.key_burst),
        provider=provider,
        sign_ins=sign_ins,
        audit=AuditLog(pool),
    )
