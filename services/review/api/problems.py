"""What each error of the domain is in HTTP, in one table."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from http import HTTPStatus

from services.review.domain.claims import (
    AboveLevel,
    AssignedToAnother,
    LeaseLost,
    NotInTheFuture,
    ReviewerAway,
    TooFarAhead,
    UnknownReviewer,
)
from services.review.domain.decisions import (
    AlreadySplit,
    BadParts,
    Blocked,
    NoSuchEngine,
    NotDecided,
    TooLateToUndo,
    UnknownOriginal,
)
from services.review.domain.edits import NotClaimed, StaleForm, WrongChanges
from services.review.domain.four_eyes import NeedsAnother
from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    NoSuchItem,
    NotAllowed,
    StaleVersion,
)
from services.review.domain.pages import NoSuchPage, NotShown
from shared.web.etags import etag
from shared.web.problems import Problem

CONFLICTS: tuple[tuple[type[NotAllowed], HTTPStatus, str], ...] = (
    (AlreadyDecided, HTTPStatus.CONFLICT, "already_decided"),
    (ClaimedByAnother, HTTPStatus.CONFLICT, "claimed_by_another"),
    (NotClaimed, HTTPStatus.CONFLICT, "not_claimed"),
    (Blocked, HTTPStatus.CONFLICT, "blocked"),
    (NeedsAnother, HTTPStatus.CONFLICT, "needs_another"),
    (AlreadySplit, HTTPStatus.CONFLICT, "already_split"),
    (NotDecided, HTTPStatus.CONFLICT, "not_decided"),
    (TooLateToUndo, HTTPStatus.CONFLICT, "too_late_to_undo"),
    (LeaseLost, HTTPStatus.CONFLICT, "lease_lost"),
    (AssignedToAnother, HTTPStatus.CONFLICT, "assigned_to_another"),
    (AboveLevel, HTTPStatus.CONFLICT, "above_level"),
    (ReviewerAway, HTTPStatus.CONFLICT, "reviewer_away"),
    (StaleVersion, HTTPStatus.PRECONDITION_FAILED, "stale_version"),
)


# What cannot be done to any item.
UNREADABLE = (NotInTheFuture, TooFarAhead, WrongChanges, BadParts, NoSuchEngine)

# Why a file cannot be shown, in words that are ours.
DAMAGED = "The file is damaged, or is not what it seems to be."
COSTLY = "The file asks for more than may be spent on showing it."
NOT_SHOWN: Mapping[str, tuple[HTTPStatus, str]] = {
    "encrypted": (HTTPStatus.UNPROCESSABLE_ENTITY, "The file opens with a password only."),
    "source_missing": (HTTPStatus.NOT_FOUND, "The file is not there any more."),
    "too_large": (HTTPStatus.UNPROCESSABLE_ENTITY, COSTLY),
    "parser_timeout": (HTTPStatus.UNPROCESSABLE_ENTITY, COSTLY),
}


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except NoSuchItem as error:
        raise Problem(
            HTTPStatus.NOT_FOUND, "no_such_item", "There is no item for this document."
        ) from error
    except NoSuchPage as error:
        raise Problem(
            HTTPStatus.NOT_FOUND, "no_such_page", "The document has no such page."
        ) from error
    except NotShown as error:
        raise _not_shown(error) from error
    except UNREADABLE as error:
        raise _unreadable(error) from error
    except NotAllowed as error:
        [(status, reason)] = [row[1:] for row in CONFLICTS if isinstance(error, row[0])]
        # The tag of what it is now: fetch it, look, decide again.
        headers = {"ETag": etag(error.item.version)}
        raise Problem(
            status,
            reason,
            f"{error}.",
            errors=_blockers(error),
            headers=headers,
            more=_differences(error),
        ) from error
    except UnknownReviewer as error:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "no_such_reviewer",
            "Nobody of this name reviews here.",
            errors=[{"pointer": "/reviewer", "detail": "known are those of /v1/reviewers"}],
        ) from error
    except UnknownOriginal as error:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "no_such_original",
            "The original has to be another document of the same owner that has an item.",
        ) from error


def _unreadable(
    error: NotInTheFuture | TooFarAhead | WrongChanges | BadParts | NoSuchEngine,
) -> Problem:
    """What was sent cannot be done to any item; nothing was."""
    if isinstance(error, WrongChanges):
        wrong = [(f"/changes/{one.place}/{one.member}", one.sentence) for one in error.wrong]
    elif isinstance(error, BadParts):
        wrong = [(error.pointer, str(error))]
    elif isinstance(error, NoSuchEngine):
        wrong = [("/engine", str(error))]
    elif isinstance(error, TooFarAhead):
        wrong = [("/until", "more than a year ahead")]
    else:
        wrong = [("/until", "not in the future")]
    errors = [{"pointer": pointer, "detail": sentence} for pointer, sentence in wrong]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)


def _differences(error: NotAllowed) -> dict[str, object]:
    """What somebody else made of it meanwhile, beside what was about to be said."""
    if not isinstance(error, StaleForm):
        return {}
    return {"changes": [asdict(one) for one in error.differences]}


def _blockers(error: NotAllowed) -> list[dict[str, str]]:
    if not isinstance(error, Blocked):
        return []
    return [
        {"pointer": f"/fields/{path}", "detail": one.detail or one.code}
        for one in error.blockers
        for path in one.touches or ("",)
    ]


def _not_shown(error: NotShown) -> Problem:
    status, sentence = NOT_SHOWN.get(error.reason, (HTTPStatus.UNPROCESSABLE_ENTITY, DAMAGED))
    # A code of the parser, and never what the file made it say.
    return Problem(status, f"page_{error.reason}", sentence)
