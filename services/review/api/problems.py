"""What each error of the domain is in HTTP, in one table."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from services.review.domain import (
    AlreadyDecided,
    ClaimedByAnother,
    NoSuchItem,
    NotAllowed,
    StaleVersion,
)
from shared.web.etags import etag
from shared.web.problems import Problem

CONFLICTS: tuple[tuple[type[NotAllowed], HTTPStatus, str], ...] = (
    (AlreadyDecided, HTTPStatus.CONFLICT, "already_decided"),
    (ClaimedByAnother, HTTPStatus.CONFLICT, "claimed_by_another"),
    (StaleVersion, HTTPStatus.PRECONDITION_FAILED, "stale_version"),
)


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
