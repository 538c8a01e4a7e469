"""Where the next page begins, as a text that a client passes back without reading it.

A keyset position and not a page number: rows that arrive while somebody pages neither
repeat nor hide others. What a cursor may show is decided by the query, never by the cursor.
"""

import base64
import json
from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from shared.web.problems import Problem

CURSOR_CHARS_MAX = 300


def encode_cursor(moment: datetime, identity: UUID) -> str:
    position = json.dumps([moment.isoformat(), identity.hex], separators=(",", ":"))
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Raises the problem that tells the client."""
    try:
        return _position(cursor[:CURSOR_CHARS_MAX])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "invalid",
            "See errors.",
            errors=[{"pointer": "/query/cursor", "detail": "not a cursor of this list"}],
        ) from error


def _position(cursor: str) -> tuple[datetime, UUID]:
    text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    moment, identity = json.loads(text)
    position = datetime.fromisoformat(moment), UUID(identity)
    if position[0].tzinfo is None:
        raise ValueError("a moment without a zone")
    return position
