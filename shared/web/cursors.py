"""Where the next page begins, as a text that a client passes back without reading it.

A keyset position and not a page number: rows that arrive while somebody pages neither
repeat nor hide others. What a cursor may show is decided by the query, never by the cursor.
A signed one is bound to its list besides: to whose it is and what it was asked for.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any
from uuid import UUID

from shared.web.problems import Problem

CURSOR_CHARS_MAX = 300
SECRET_CHARS_MIN = 16
# Half of the digest: enough that nobody guesses it, and addresses stay short.
_SEAL_BYTES = 16

Position = tuple[datetime, UUID]


class Cursors:
    """Signed cursors. All replicas share the secret; changing it ends the pages in hand."""

    def __init__(self, secret: str) -> None:
        if len(secret) < SECRET_CHARS_MIN:
            raise ValueError(f"a cursor secret has at least {SECRET_CHARS_MIN} characters")
        self._secret = secret.encode()

    def encode(self, position: Position, *, scope: str) -> str:
        cursor = encode_cursor(*position)
        return f"{cursor}.{self._seal(cursor, scope)}"

    def decode(self, cursor: str, *, scope: str) -> Position:
        """Raises the problem that tells the client; one of another list is refused too."""
        position, _, seal = cursor[:CURSOR_CHARS_MAX].rpartition(".")
        if not hmac.compare_digest(seal.encode(), self._seal(position, scope).encode()):
            raise _not_ours()
        return decode_cursor(position)

    def encode_values(self, values: Sequence[object], *, scope: str) -> str:
        """For a list whose order goes by more than a moment and an identity. As JSON."""
        cursor = _text(values)
        return f"{cursor}.{self._seal(cursor, scope)}"

    def decode_values(self, cursor: str, *, scope: str) -> list[Any]:
        """Ours, so it is what we wrote: nobody else can seal one."""
        position, _, seal = cursor[:CURSOR_CHARS_MAX].rpartition(".")
        if not hmac.compare_digest(seal.encode(), self._seal(position, scope).encode()):
            raise _not_ours()
        values: list[Any] = json.loads(_bytes(position))
        return values

    def _seal(self, cursor: str, scope: str) -> str:
        # The letters of a cursor hold no zero byte, so no two pairs look the same.
        told = f"{cursor}\x00{scope}".encode("utf-8", "surrogatepass")
        digest = hmac.digest(self._secret, told, hashlib.sha256)[:_SEAL_BYTES]
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def encode_cursor(moment: datetime, identity: UUID) -> str:
    return _text([moment.isoformat(), identity.hex])


def decode_cursor(cursor: str) -> Position:
    """Raises the problem that tells the client."""
    try:
        return _position(cursor[:CURSOR_CHARS_MAX])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _not_ours() from error


def _not_ours() -> Problem:
    return Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid",
        "See errors.",
        errors=[{"pointer": "/query/cursor", "detail": "not a cursor of this list"}],
    )


def _position(cursor: str) -> Position:
    moment, identity = json.loads(_bytes(cursor))
    position = datetime.fromisoformat(moment), UUID(identity)
    if position[0].tzinfo is None:
        raise ValueError("a moment without a zone")
    return position


def _text(values: Sequence[object]) -> str:
    position = json.dumps(values, separators=(",", ":"))
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def _bytes(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
