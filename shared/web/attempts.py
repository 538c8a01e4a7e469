"""A sign-in on its way to the identity provider and back: one secret, in one browser.

All that has to fit at the end (`state`, `nonce`, the verifier of PKCE) is made of a secret that
only the cookie of this browser holds. So nothing is kept on the server, a return that
somebody else began does not fit, and where the person goes on is one of few places of ours.
"""

import base64
import hmac
import re
import secrets
from dataclasses import dataclass
from hashlib import sha256

from fastapi import Request, Response

from shared.web.cookies import cookie_name, is_loopback

COOKIE = "paperline_sign_in"
# As long as somebody may need for a second factor.
LASTS_S = 600
# Places of our own pages, never an address: the review, or one document there; the operators'
# console, or one thing there.
PLACE = (
    r"|review(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?"
    r"|console(/[a-z]{3,12}(/[0-9a-f-]{8,64})?)?"
)
_KEPT = re.compile(rf"([A-Za-z0-9_-]{{43}})\.([0-9]{{1,12}})\.({PLACE.replace('/', ':')})")


class CodeRefused(Exception):
    """`is_ours`: it is not the code's fault, the provider does not know this client so."""

    def __init__(self, *, is_ours: bool) -> None:
        super().__init__("the client" if is_ours else "the code")
        self.is_ours = is_ours


@dataclass(frozen=True, slots=True)
class Attempt:
    secret: str
    ends_at_s: int
    place: str

    @property
    def state(self) -> str:
        return self._made_for(f"state {self.ends_at_s} {self.place}")

    @property
    def nonce(self) -> str:
        return self._made_for("nonce")

    @property
    def verifier(self) -> str:
        return self._made_for("verifier")

    @property
    def challenge(self) -> str:
        """PKCE, S256 (RFC 7636): proves to the provider that who comes back is who left."""
        return _text(sha256(self.verifier.encode()).digest())

    def _made_for(self, purpose: str) -> str:
        return _text(hmac.digest(self.secret.encode(), purpose.encode(), sha256))


def new_attempt(place: str, now_s: float) -> Attempt:
    return Attempt(secrets.token_urlsafe(32), int(now_s) + LASTS_S, place)


def keep_attempt(request: Request, response: Response, attempt: Attempt) -> None:
    """Lax, unlike the cookie of a session: the provider's page leads back here."""
    place = attempt.place.replace("/", ":")
    response.set_cookie(
        cookie_name(request, COOKIE),
        f"{attempt.secret}.{attempt.ends_at_s}.{place}",
        max_age=LASTS_S,
        path="/",
        httponly=True,
        samesite="lax",
        secure=not is_loopback(request),
    )


def kept_attempt(request: Request, now_s: float) -> Attempt | None:
    """None when none was begun in this browser, or too long ago."""
    match = _KEPT.fullmatch(request.cookies.get(cookie_name(request, COOKIE), ""))
    if match is None:
        return None
    attempt = Attempt(match[1], int(match[2]), match[3].replace(":", "/"))
    return attempt if now_s < attempt.ends_at_s else None


def drop_attempt(request: Request, response: Response) -> None:
    """However it ended: the same return is worth nothing a second time."""
    response.delete_cookie(
        cookie_name(request, COOKIE),
        path="/",
        httponly=True,
        samesite="lax",
        secure=not is_loopback(request),
    )


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
