"""Every error of every API as `application/problem+json` (RFC 9457), the framework's too.

A client that has to parse two error formats parses none. Nothing internal leaves here: no
exception text of ours, no input echoed back, only words written for the reader and the
trace under which the logs can be searched.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match

from shared.errors import Rejected, Retryable
from shared.observability.tracing import current_span
from shared.web.bodies import UnreadableBody

CONTENT_TYPE = "application/problem+json"
# Where the types are explained; relative, because nobody knows under which name we are served.
TYPES = "/problems/"
RETRY_AFTER_S = 2
ERRORS_MAX = 20
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# What a port refuses for good, as the client caused it. Anything else is our failure.
STATUS_OF_REASON: Mapping[str, HTTPStatus] = {
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "unsupported_type": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "empty": HTTPStatus.UNPROCESSABLE_ENTITY,
    "idempotency_mismatch": HTTPStatus.UNPROCESSABLE_ENTITY,
    "too_many_items": HTTPStatus.UNPROCESSABLE_ENTITY,
    "wrong_password": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unreadable": HTTPStatus.UNPROCESSABLE_ENTITY,
    "bad_archive": HTTPStatus.UNPROCESSABLE_ENTITY,
}

# It may matter to a client what is away: there can be another way in.
AWAY: Mapping[str | None, tuple[str, str]] = {
    "oidc": (
        "identity_provider_away",
        "The identity provider does not answer, so its tokens cannot be checked. "
        "Come back, or use an API key.",
    ),
}
_SOMETHING = (
    "unavailable",
    "Something this request needs is away. Nothing was lost; please send it again.",
)

# The body of every error, for those who read the description of an API.
SCHEMA: Mapping[str, object] = {
    "title": "Problem",
    "description": "Every error looks like this (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "retryable"],
    "properties": {
        "type": {"type": "string", "description": "Stable; what a program decides by."},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer", "description": "The status again."},
        "detail": {"type": "string", "description": "For a person."},
        "errors": {
            "type": "array",
            "description": "What is wrong with the request, and where.",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "Such as /query/limit."},
                    "detail": {"type": "string"},
                },
            },
        },
        "trace_id": {"type": "string", "description": "To find the request in the logs."},
        "retryable": {"type": "boolean", "description": "Whether sending it again may help."},
    },
    "example": {
        "type": TYPES + "not-ready",
        "title": "Conflict",
        "status": 409,
        "detail": "The document is processing; ask again later.",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "retryable": False,
    },
}


class Problem(Exception):
    """Raised by a route; `reason` is stable and short, `detail` is for a person."""

    def __init__(
        self,
        status: int,
        reason: str,
        detail: str = "",
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(f"{status} {reason}")
        self.status = HTTPStatus(status)
        self.reason = reason
        self.detail = detail
        self.errors = errors
        self.headers = dict(headers or {})
        # Members of its own, as RFC 9457 allows a type of problem to have.
        self.more = dict(more or {})


def problem_response(problem: Problem) -> Response:
    document: dict[str, object] = {
        "type": TYPES + problem.reason.replace("_", "-"),
        "title": problem.status.phrase,
        "status": problem.status.value,
    }
    if problem.detail:
        document["detail"] = problem.detail
    if problem.errors:
        document["errors"] = list(problem.errors)
    document |= problem.more
    if (span := current_span()) is not None:
        document["trace_id"] = span.trace_id
    document["retryable"] = problem.status in (
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    )
    return Response(
        json.dumps(document), problem.status, headers=problem.headers, media_type=CONTENT_TYPE
    )


def unavailable(after_s: float | None = None, dependency: str | None = None) -> Problem:
    seconds = max(1, round(after_s or RETRY_AFTER_S))
    reason, detail = AWAY.get(dependency, _SOMETHING)
    return Problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        reason,
        detail,
        headers={"Retry-After": str(seconds)},
    )


def answer_with_problems(app: FastAPI) -> None:
    """Take over every way in which the framework would answer in its own words."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _framework)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UnreadableBody, _unreadable)
    app.add_exception_handler(Retryable, _away)
    app.add_exception_handler(Rejected, _refused)
    app.add_exception_handler(ClientDisconnect, _gone)
    # Starlette answers with this and raises the error again, so that the server logs it.
    app.add_exception_handler(Exception, _bug)


async def _problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 -- registered for this class only
    return problem_response(error)


async def _framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = HTTPStatus(error.status_code)
    reason = status.phrase.lower().replace(" ", "-")
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        # The framework names the methods of one route, also where several share the path.
        headers["Allow"] = ", ".join(allowed_methods(request))
    return problem_response(Problem(status, reason, headers=headers))


def allowed_methods(request: Request) -> list[str]:
    """HEAD goes with GET: the gate answers it."""

    def answers(method: str) -> bool:
        scope = {**request.scope, "method": "GET" if method == "HEAD" else method}
        routes = request.app.router.routes
        return any(route.matches(scope)[0] == Match.FULL for route in routes)

    return [method for method in METHODS if answers(method)]


async def _invalid(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    errors = [
        {"pointer": _pointer(one["loc"]), "detail": str(one["msg"])[:200]}
        for one in error.errors()[:ERRORS_MAX]
    ]
    return problem_response(
        Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "See errors.", errors=errors)
    )


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, UnreadableBody)  # noqa: S101
    return await _invalid(request, error.told)


async def _away(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Retryable)  # noqa: S101
    return problem_response(unavailable(error.after_s, error.dependency))


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Rejected)  # noqa: S101
    status = STATUS_OF_REASON.get(error.reason, HTTPStatus.INTERNAL_SERVER_ERROR)
    detail = error.detail if error.reason in STATUS_OF_REASON else ""
    return problem_response(Problem(status, error.reason, detail))


async def _gone(_request: Request, _error: Exception) -> Response:
    # Nobody is there to read it; the framework still wants an answer.
    return problem_response(Problem(HTTPStatus.BAD_REQUEST, "client-closed-request"))


async def _bug(_request: Request, _error: Exception) -> Response:
    return problem_response(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error"))


def _pointer(location: Sequence[int | str]) -> str:
    """A JSON Pointer (RFC 6901) whose first part says which part of the request it is."""
    return "".join(
        "/" + str(part).replace("~", "~0").replace("/", "~1")[:100] for part in location
    )
