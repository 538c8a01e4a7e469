"""What each error of the domain is in HTTP, in one table, and the precondition of a decision.

A decision rests on what somebody saw, so it must say which version that was: without it two
people could overwrite each other in silence.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request

from services.review.domain import (
    AlreadyDecided,
    ClaimedByAnother,
    NoSuchItem,
    NotAllowed,
    StaleVersion,
)
from shared.web.problems import Problem

_ETAG = re.compile(r'"(\d{1,9})"')

CONFLICTS: tuple[tuple[type[NotAllowed], HTTPStatus, str], ...] = (
    (AlreadyDecided, HTTPStatus.CONFLICT, "already_decided"),
    (ClaimedByAnother, HTTPStatus.CONFLICT, "claimed_by_another"),
    (StaleVersion, HTTPStatus.PRECONDITION_FAILED, "stale_version"),
)


def etag(version: int) -> str:
    return f'"{version}"'


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except NoSuchItem as error:
        raise Problem(
            HTTPStatus.NOT_FOUND, "no_such_item", "There is no item for this document."
        ) from error
    except NotAllowed as error:
        [(status, reason)] = [row[1:] for row in CONFLICTS if isinstance(error, row[0])]
        # The tag of what it is now: fetch it, look, decide again.
        headers = {"ETag": etag(error.item.version)}
        raise Problem(status, reason, f"{error}.", headers=headers) from error


def seen_version(request: Request) -> int:
    tag = request.headers.get("if-match")
    if tag is None:
        raise Problem(
            HTTPStatus.PRECONDITION_REQUIRED,
            "precondition_required",
            "Send the item's ETag as If-Match: what was looked at is what is decided.",
        )
    match = _ETAG.fullmatch(tag.strip())
    if match is None:
        raise Problem(
            HTTPStatus.PRECONDITION_FAILED, "stale_version", "Not an ETag of an item."
        )
    return int(match[1])


SeenVersion = Annotated[int, Depends(seen_version)]
