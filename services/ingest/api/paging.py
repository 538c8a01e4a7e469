"""Pages of what webhooks are: where one begins, and the address of the one behind it."""

import json
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from services.ingest.ports.webhooks import Behind
from shared.web.cursors import CURSOR_CHARS_MAX, Cursors

PAGE_MAX = 200


class Asked(BaseModel):
    # A misspelt filter must not list everything.
    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=PAGE_MAX)
    cursor: str | None = Field(None, max_length=CURSOR_CHARS_MAX)

    def filters(self) -> dict[str, str]:
        return self.model_dump(exclude={"limit", "cursor"}, exclude_none=True)


class Paging:
    """One list, as asked for by one caller: a cursor of another list begins nothing here."""

    def __init__(self, request: Request, asked: Asked, *, scope: object) -> None:
        self._cursors: Cursors = request.app.state.cursors
        self._path = request.url.path
        self._asked = asked
        self._scope = json.dumps([scope, asked.filters()], sort_keys=True)

    def behind(self) -> Behind:
        """One more than is shown, to know whether there is a next page."""
        limit, cursor = self._asked.limit + 1, self._asked.cursor
        if cursor is None:
            return Behind(limit)
        return Behind(limit, *self._cursors.decode(cursor, scope=self._scope))

    def following(self, last: tuple[datetime, UUID], response: Response) -> str:
        more = {
            **self._asked.filters(),
            "limit": self._asked.limit,
            "cursor": self._cursors.encode(last, scope=self._scope),
        }
        following = f"{self._path}?{urlencode(more)}"
        response.headers["Link"] = f'<{following}>; rel="next"'
        return following
