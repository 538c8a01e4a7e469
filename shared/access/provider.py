"""An identity provider whose tokens are believed, and what they say in our words.

There is none unless somebody configures it. What the mapping does not name gives nothing: a
group of theirs that happens to be called like one of our roles is not that role.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from shared.access.keys import NO_QUOTA, Caller, Quota
from shared.access.roles import permissions_of

OWNER_CHARS_MAX = 200
# These two hold several words in one text; any other text is one word, spaces and all.
_SEVERAL_WORDS = frozenset({"scope", "scp"})

Claims = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provider:
    issuer: str
    audience: str
    # Their word → our role. Several of their words may mean the same role.
    roles: Mapping[str, str]
    # None: the provider's own description says where its keys are.
    jwks_url: str | None = None
    roles_claim: str = "roles"
    owner_claim: str = "sub"
    quota: Quota = NO_QUOTA
    # How far the clocks may be apart.
    leeway_s: float = 30.0
    # A token cannot be taken back, so it may not last for ever either.
    lifetime_max_s: float = 86_400.0
    timeout_s: float = 5.0
    # Between two questions for the provider's keys.
    refetch_s: float = 30.0


def caller_from(claims: Claims, provider: Provider) -> Caller | None:
    """The caller a verified token stands for; None when it does not say whose it is."""
    owner_id = _claim(claims, provider.owner_claim)
    if not isinstance(owner_id, str) or not _is_a_name(owner_id):
        return None
    roles = frozenset(
        provider.roles[word] for word in _words(claims, provider) if word in provider.roles
    )
    return Caller(
        owner_id=owner_id,
        key_id=_key_id(claims, provider),
        name=owner_id,
        roles=roles,
        permissions=permissions_of(roles),
        quota=provider.quota,
    )


def _words(claims: Claims, provider: Provider) -> list[str]:
    found = _claim(claims, provider.roles_claim)
    if isinstance(found, str):
        return found.split() if provider.roles_claim in _SEVERAL_WORDS else [found]
    if isinstance(found, list):
        return [word for word in found if isinstance(word, str)]
    return []


def _claim(claims: Claims, name: str) -> object:
    """The claim of this very name, else the one that the dots lead to."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _is_a_name(text: str) -> bool:
    return 0 < len(text) <= OWNER_CHARS_MAX and text.isprintable() and text == text.strip()


def _key_id(claims: Claims, provider: Provider) -> str:
    """One person is one key, whichever token is shown: rates and quotas count by it."""
    subject = sha256(f"{provider.issuer}\x00{claims['sub']}".encode()).hexdigest()
    return f"oidc-{subject[:24]}"
