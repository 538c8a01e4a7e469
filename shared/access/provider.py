"""An identity provider whose tokens are believed, and what they say in our words.

There is none unless somebody configures it. What the mapping does not name gives nothing: a
group of theirs that happens to be called like one of our roles is not that role.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeGuard

from shared.access.keys import NO_QUOTA, Caller, Quota
from shared.access.roles import permissions_of

# The least that a provider must be asked for to say who somebody is.
SCOPE = "openid"
# Where the provider sends people back to, whatever this installation is called.
RETURN_PATH = "/v1/sign-in/return"
# Where a provider says what it is (OpenID Connect Discovery).
DESCRIPTION_PATH = "/.well-known/openid-configuration"
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
    # Shown to people; nothing is decided by it.
    name_claim: str = "name"
    quota: Quota = NO_QUOTA
    # How far the clocks may be apart.
    leeway_s: float = 30.0
    # A token cannot be taken back, so it may not last for ever either.
    lifetime_max_s: float = 86_400.0
    timeout_s: float = 5.0
    # Between two questions for the provider's keys.
    refetch_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Client:
    """As whom the provider knows this installation when it sends people back to it."""

    client_id: str
    redirect_url: str
    # None: a client without a secret, whose codes PKCE alone protects.
    secret: str | None = field(default=None, repr=False)
    scopes: str = f"{SCOPE} profile"
    # How long a sign-in holds before the provider is asked about the person again.
    session_s: float = 3600.0


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the provider vouches for, as far as a sign-in remembers it."""

    # As the id of a key: rates and quotas count by it.
    person_id: str
    owner_id: str
    name: str
    # Those of the provider's words that mean a role here. What each means is looked up when it
    # is asked for, so that another mapping holds for those who are signed in, too.
    words: tuple[str, ...]


def caller_from(claims: Claims, provider: Provider) -> Caller | None:
    """The caller a verified token stands for; None when it does not say whose it is."""
    person = person_from(claims, provider)
    return None if person is None else caller_for(person, provider)


def person_from(claims: Claims, provider: Provider) -> Person | None:
    owner_id = _claim(claims, provider.owner_claim)
    if not _is_a_name(owner_id):
        return None
    name = _claim(claims, provider.name_claim)
    return Person(
        person_id=person_id_of(str(claims["sub"]), provider),
        owner_id=owner_id,
        name=name if _is_a_name(name) else owner_id,
        words=tuple(sorted({*_words(claims, provider)} & provider.roles.keys())),
    )


def caller_for(person: Person, provider: Provider) -> Caller:
    roles = frozenset(provider.roles[word] for word in person.words if word in provider.roles)
    return Caller(
        owner_id=person.owner_id,
        key_id=person.person_id,
        name=person.name,
        called=person.name,
        roles=roles,
        permissions=permissions_of(roles),
        quota=provider.quota,
    )


def person_id_of(subject: str, provider: Provider) -> str:
    """One person is one key, whichever token is shown: rates and quotas count by it."""
    digest = sha256(f"{provider.issuer}\x00{subject}".encode()).hexdigest()
    return f"oidc-{digest[:24]}"


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


def _is_a_name(text: object) -> TypeGuard[str]:
    return (
        isinstance(text, str)
        and 0 < len(text) <= OWNER_CHARS_MAX
        and text.isprintable()
        and text == text.strip()
    )
