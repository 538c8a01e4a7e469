"""What every service with an API can be told: who may call it, and how often.

People of an identity provider are let in only when all of it is said: who issues the tokens,
for whom, and which of the provider's words is which role. Half of it stops the process.
"""

import json
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from shared.access.keys import Quota
from shared.access.provider import Provider
from shared.access.roles import ROLES
from shared.addresses import is_loopback
from shared.process.settings import HttpUrl, ProcessSettings


class ApiSettings(ProcessSettings):
    # Signs the addresses of further pages; the same in all replicas.
    cursor_secret: SecretStr = Field(min_length=16)
    # What one API key may ask of one service, at all its replicas together; a burst is allowed
    # after a pause.
    key_rate_per_s: float = Field(default=200, gt=0, le=100_000)
    key_burst: int = Field(default=2_000, ge=1, le=1_000_000)

    # Who issues tokens to people (OpenID Connect), exactly as their claim `iss` says it.
    # Without it there are API keys only.
    oidc_issuer: HttpUrl | None = None
    # For whom a token has to be made: one of its claim `aud`.
    oidc_audience: str | None = Field(default=None, min_length=1, max_length=500)
    # Where the provider's keys are; without it the provider's description is asked.
    oidc_jwks_url: HttpUrl | None = None
    # Which claim holds what the mapping speaks of; dots lead inwards (`realm_access.roles`).
    oidc_roles_claim: str = Field(default="roles", min_length=1, max_length=200)
    # Their word → our role, as JSON: {"invoices-desk": "reviewer"}. What is not named gives
    # nothing.
    oidc_roles: Annotated[dict[str, str], NoDecode] = Field(default_factory=dict)
    # Whose documents these are. Never a claim that people can change themselves, such as an
    # e-mail address that nobody verified.
    oidc_owner_claim: str = Field(default="sub", min_length=1, max_length=200)
    # What people are called on the pages, such as `preferred_username` or `email`: shown, and
    # no more. Without it in a token, the owner is shown.
    oidc_name_claim: str = Field(default="name", min_length=1, max_length=200)
    # How far the provider's clock may be from the database's.
    oidc_leeway_s: float = Field(default=30, ge=0, le=300)
    # A token opens until it expires and cannot be taken back: longer ones are refused.
    oidc_lifetime_max_s: float = Field(default=86_400, ge=60, le=604_800)
    # How long the provider's keys are waited for.
    oidc_timeout_s: float = Field(default=5, gt=0, le=60)
    # At most every so often the provider is asked for keys, whatever tokens name.
    oidc_refetch_s: float = Field(default=30, ge=1, le=3_600)
    # What one person of the provider may hand in a day, UTC; API keys have quotas of their own.
    oidc_documents_per_day: int | None = Field(default=None, ge=1)
    oidc_bytes_per_day: int | None = Field(default=None, ge=1)

    @field_validator("oidc_issuer", "oidc_jwks_url")
    @classmethod
    def _is_safe_on_its_way(cls, url: str | None) -> str | None:
        if url is not None:
            require_safe_url(url)
        return url

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def _are_json(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        try:
            return json.loads(given or "{}")
        except ValueError:
            raise ValueError('must be JSON, such as {"invoices-desk": "reviewer"}') from None

    @field_validator("oidc_roles")
    @classmethod
    def _are_roles(cls, roles: dict[str, str]) -> dict[str, str]:
        if unknown := sorted({*roles.values()} - ROLES.keys()):
            raise ValueError(f"unknown: {', '.join(unknown)}; roles are {', '.join(ROLES)}")
        return roles

    @model_validator(mode="after")
    def _name_the_whole_provider(self) -> Self:
        wanted = {
            "PAPERLINE_OIDC_ISSUER": self.oidc_issuer,
            "PAPERLINE_OIDC_AUDIENCE": self.oidc_audience,
            "PAPERLINE_OIDC_ROLES": self.oidc_roles,
        }
        missing = [name for name, value in wanted.items() if not value]
        if len(missing) < len(wanted) and missing:
            raise ValueError(f"tokens need {', '.join(missing)} too")
        if self.oidc_jwks_url and missing:
            raise ValueError(f"PAPERLINE_OIDC_JWKS_URL needs {', '.join(missing)} too")
        return self

    def provider(self) -> Provider | None:
        if self.oidc_issuer is None or self.oidc_audience is None:
            return None
        return Provider(
            issuer=self.oidc_issuer,
            audience=self.oidc_audience,
            roles=self.oidc_roles,
            jwks_url=self.oidc_jwks_url,
            roles_claim=self.oidc_roles_claim,
            owner_claim=self.oidc_owner_claim,
            name_claim=self.oidc_name_claim,
            quota=Quota(self.oidc_documents_per_day, self.oidc_bytes_per_day),
            leeway_s=self.oidc_leeway_s,
            lifetime_max_s=self.oidc_lifetime_max_s,
            timeout_s=self.oidc_timeout_s,
            refetch_s=self.oidc_refetch_s,
        )


def require_safe_url(url: str) -> None:
    """Raises ValueError for keys that somebody on the way could exchange."""
    where = urlsplit(url)
    if where.username or where.password or where.fragment or not where.hostname:
        raise ValueError("must be a plain address, without credentials or fragment")
    on_the_machine = where.scheme == "http" and is_loopback(where.hostname)
    if where.scheme != "https" and not on_the_machine:
        raise ValueError("must start with https://, except on the machine itself")
