"""The way in for people of an identity provider. Imported only where one is configured."""

from shared.access.provider import Client, Provider
from shared.access.sessions import Sessions
from shared.clock import Clock
from shared.database.pool import Pool
from shared.web.jwks import ProviderKeys
from shared.web.openid import OpenId
from shared.web.sign_in import SignIns
from shared.web.tokens import Tokens, tokens_for
from shared.web.witness import AuditedSignIns


def let_in(
    provider: Provider, client: Client | None, sessions: Sessions, pool: Pool, clock: Clock
) -> tuple[Tokens, SignIns | None]:
    """Their tokens, and where they sign in; without a `client`, that is somewhere else."""
    keys = ProviderKeys(provider)
    tokens = Tokens(provider, keys, clock)
    if client is None:
        return tokens, None
    sign_ins = SignIns(
        openid=OpenId(provider, client),
        provider=provider,
        client=client,
        tokens=tokens_for(client, provider, keys, clock),
        sessions=sessions,
        witness=AuditedSignIns(pool),
        clock=clock,
    )
    return tokens, sign_ins
