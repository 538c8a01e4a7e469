"""Strong entity tags: unchanged since you asked, and changed since you looked (RFC 9110, 13).

A change rests on what somebody saw, so it must say which version that was: without it two
people could overwrite each other in silence.
"""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from shared.web.problems import Problem

_ETAG = re.compile(r'"(\d{1,9})"')


def etag(version: int) -> str:
    return f'"{version}"'


def unchanged(request: Request, etag: str) -> bool:
    asked = request.headers.get("if-none-match", "")
    tags = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
    return etag in tags or "*" in tags


async def seen_version(request: Request) -> int:
    """Raises the problem of who does not say what was looked at."""
    tag = request.headers.get("if-match")
    if tag is None:
        raise Problem(
            HTTPStatus.PRECONDITION_REQUIRED,
            "precondition_required",
            "Send the ETag as If-Match: what was looked at is what is changed.",
        )
    match = _ETAG.fullmatch(tag.strip())
    if match is None:
        raise Problem(HTTPStatus.PRECONDITION_FAILED, "stale_version", "Not an ETag of this.")
    return int(match[1])


SeenVersion = Annotated[int, Depends(seen_version)]
