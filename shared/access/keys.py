"""API keys and session tokens: how they look, and the only form in which they are kept.

The secret is 256 random bits, so a plain SHA-256 is as good as a slow hash, and a dump of the
database holds nothing that opens a door. The fixed prefix lets a leak scanner find a key in a
commit or a log.
"""

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256

KEY = re.compile(r"paperline_([a-z2-7]{12})_[A-Za-z0-9_-]{43}")
SESSION = re.compile(r"paperline_session_[A-Za-z0-9_-]{43}")

_KEY_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_KEY_ID_CHARS = 12
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Quota:
    """What may be handed in from midnight to midnight, UTC; None is as much as one likes."""

    documents_per_day: int | None = None
    bytes_per_day: int | None = None


NO_QUOTA = Quota()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling, as far as the request is concerned; it holds no secret."""

    owner_id: str
    key_id: str
    name: str
    roles: frozenset[str]
    permissions: frozenset[str]
    quota: Quota = NO_QUOTA
    # What people call them, of those whom a provider vouches for; nothing is decided by it.
    called: str | None = None

    def may(self, permission: str) -> bool:
        return permission in self.permissions


def new_key() -> tuple[str, str]:
    """The key's id, which may be shown, and the key, which is shown once."""
    key_id = "".join(secrets.choice(_KEY_ID_LETTERS) for _ in range(_KEY_ID_CHARS))
    return key_id, f"paperline_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def key_id_of(key: str) -> str | None:
    """None for what does not even look like a key; the database is not asked then."""
    match = KEY.fullmatch(key)
    return match[1] if match else None


def new_session() -> str:
    return f"paperline_session_{secrets.token_urlsafe(_SECRET_BYTES)}"


def is_session(token: str) -> bool:
    return SESSION.fullmatch(token) is not None


def fingerprint(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
