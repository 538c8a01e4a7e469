"""What each error of the domain is in HTTP, in one table."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from services.monitor.domain.editing import BadEdit, StaleLetter
from services.monitor.domain.groups import StaleGroup
from services.monitor.domain.operations import (
    KeyTaken,
    NoSuchOperation,
    NotAllowed,
    Overlapping,
    StaleOperation,
)
from services.monitor.domain.queues import NoSuchQueue
from services.monitor.domain.replays import (
    AlreadyReplaying,
    NoSuchLetter,
    NoSuchReplay,
    NotReplayable,
)
from services.monitor.domain.timelines import NoSuchDocument
from shared.web.etags import etag
from shared.web.problems import Problem

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    error: type[Exception]
    status: HTTPStatus
    code: str
    # The error speaks for itself unless it carries an id only.
    detail: str | None = None
    # Where what is in the way can be watched, or which version there is.
    headers: Callable[[Any], Headers] | None = None


# The first that fits: what is special stands before what it is a case of.
PROBLEMS = (
    Told(NoSuchLetter, HTTPStatus.NOT_FOUND, "no_such_letter", "There is no such dead letter."),
    Told(NoSuchReplay, HTTPStatus.NOT_FOUND, "no_such_replay", "There is no such replay."),
    Told(
        NoSuchDocument,
        HTTPStatus.NOT_FOUND,
        "no_such_document",
        "Nothing was told of such a document.",
    ),
    Told(NoSuchQueue, HTTPStatus.NOT_FOUND, "no_such_queue", "There is no such queue."),
    Told(
        NoSuchOperation,
        HTTPStatus.NOT_FOUND,
        "no_such_operation",
        "There is no such operation.",
    ),
    Told(
        AlreadyReplaying,
        HTTPStatus.CONFLICT,
        "already_replaying",
        headers=lambda error: {"Location": f"/ops/v1/replays/{error.letter.replay_id}"},
    ),
    Told(
        StaleLetter,
        HTTPStatus.PRECONDITION_FAILED,
        "stale_version",
        headers=lambda error: {"ETag": etag(error.letter.version)},
    ),
    Told(BadEdit, HTTPStatus.UNPROCESSABLE_ENTITY, "bad_edit"),
    Told(
        StaleGroup,
        HTTPStatus.PRECONDITION_FAILED,
        "stale_version",
        headers=lambda error: {"ETag": etag(error.now.version)},
    ),
    Told(NotReplayable, HTTPStatus.CONFLICT, "not_replayable"),
    Told(
        Overlapping,
        HTTPStatus.CONFLICT,
        "overlapping_operation",
        headers=lambda error: {"Location": f"/ops/v1/operations/{error.operation_id}"},
    ),
    Told(KeyTaken, HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency_mismatch"),
    Told(
        StaleOperation,
        HTTPStatus.PRECONDITION_FAILED,
        "stale_version",
        headers=lambda error: {"ETag": etag(error.operation.version)},
    ),
    Told(NotAllowed, HTTPStatus.CONFLICT, "not_allowed"),
)


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except tuple(one.error for one in PROBLEMS) as error:
        row = next(one for one in PROBLEMS if isinstance(error, one.error))
        headers = row.headers(error) if row.headers else {}
        raise Problem(
            row.status, row.code, row.detail or f"{error}.", headers=headers
        ) from error
