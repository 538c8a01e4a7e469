"""What each error of storage is in HTTP, in one table."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from services.storage.domain import exports, handover
from services.storage.handlers.reading import NoFile, NoSuchResult, NotConforming, NotVerified
from shared.web.problems import Problem

NOT_FOUND, CONFLICT = HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
# Somebody else's is as absent as one that never was. Without words of its own an error says
# what it was raised with.
TABLE: tuple[tuple[type[Exception], HTTPStatus, str, str], ...] = (
    (NoSuchResult, NOT_FOUND, "no_such_result", "There is no such result."),
    (NoFile, CONFLICT, "no_file", "A copy of a known document has no Parquet file of its own."),
    (NotVerified, CONFLICT, "not_verified", "No person has approved this result."),
    (exports.NoSuchExport, NOT_FOUND, "no_such_export", "There is no such export."),
    (exports.TooManyOpen, HTTPStatus.TOO_MANY_REQUESTS, "too_many_exports", ""),
    (exports.KeyTaken, UNPROCESSABLE, "key_taken", ""),
    (exports.NotAllowed, CONFLICT, "export_ended", ""),
    (handover.NoSuchConsumer, NOT_FOUND, "no_such_consumer", "There is no such consumer."),
    (handover.NoSuchBatch, NOT_FOUND, "no_such_batch", "There is no such batch."),
    (handover.OtherContent, CONFLICT, "other_content", ""),
    (handover.TooManyConsumers, CONFLICT, "too_many_consumers", "No further name is free."),
    (handover.ScopeDiffers, CONFLICT, "scope_differs", ""),
)
AGAIN_S = 10


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except NotConforming as error:
        raise _not_conforming(error) from error
    except tuple(row[0] for row in TABLE) as error:
        _, status, reason, words = next(row for row in TABLE if isinstance(error, row[0]))
        again = {"Retry-After": str(AGAIN_S)}
        headers = again if status == HTTPStatus.TOO_MANY_REQUESTS else {}
        raise Problem(status, reason, words or f"{error}.", headers=headers) from error


def _not_conforming(error: NotConforming) -> Problem:
    return Problem(
        UNPROCESSABLE,
        "not_conforming",
        "The invoice breaks rules of EN 16931; see errors.",
        errors=[
            {"pointer": _pointer(one.at), "rule": one.rule, "detail": f"{one.rule}: {one.says}"}
            for one in error.broken
        ],
    )


def _pointer(path: str) -> str:
    return f"/fields/{path}" if path else ""
