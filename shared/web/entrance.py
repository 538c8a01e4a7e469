"""What stands before the routes of every API: who comes in, how often, and how pages go on.

Put together once for all services, so that a key, a token or a sign-in means the same at each.
"""

from dataclasses import dataclass

from shared.access.access import Access
from shared.access.provider import Provider
from shared.access.sessions import Sessions
from shared.audit.reader import AuditLog
from shared.clock import Clock
from shared.database.pool import Pool
from shared.limits.keyed import KeyedBuckets
from shared.process.api_settings import ApiSettings
from shared.web.audit import ReadableLog
from shared.web.cursors import Cursors
from shared.web.guard import Authenticator, SessionKeeper
from shared.web.jwks import ProviderKeys
from shared.web.rates import Rates
from shared.web.tokens import KeysAndTokens, Tokens


@dataclass(frozen=True, slots=True)
class Entrance:
    authenticator: Authenticator
    cursors: Cursors
    sessions: SessionKeeper | None = None
    rates: Rates | None = None
    # Described only; the authenticator knows by itself.
    provider: Provider | None = None
    # Of the service; for `shared.web.audit`.
    audit: ReadableLog | None = None

    def state(self) -> dict[str, object]:
        """For `build_app`."""
        return {
            "cursors": self.cursors,
            "sessions": self.sessions,
            "rates": self.rates,
            "provider": self.provider,
            "audit": self.audit,
        }


def open_entrance(pool: Pool, settings: ApiSettings, clock: Clock) -> Entrance:
    """Needs `shared.limits` and `shared.audit` in the schema of the pool, and `access` beside
    it."""
    provider = settings.provider()
    tokens = Tokens(provider, ProviderKeys(provider), clock) if provider else None
    return Entrance(
        authenticator=KeysAndTokens(Access(pool), tokens),
        cursors=Cursors(settings.cursor_secret.get_secret_value()),
        sessions=Sessions(pool),
        rates=KeyedBuckets(pool, rate_per_s=settings.key_rate_per_s, burst=settings.key_burst),
        provider=provider,
        audit=AuditLog(pool),
    )
