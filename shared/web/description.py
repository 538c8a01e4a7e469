"""What an API says of itself: its OpenAPI document, completed where the framework cannot.

The framework knows the answers of success and its own error format, which nobody ever gets.
Ours are answered in one place and so are described in one place; a route names only what is
special about it.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.types import ASGIApp

from shared.web.answering import Answering
from shared.web.gate import EVENT_STREAM
from shared.web.problems import CONTENT_TYPE, SCHEMA
from shared.web.security import describe_security

Json = dict[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_FRAMEWORKS_WORDS = "Successful Response"
_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")
_AGAIN = {
    "Retry-After": {"description": "After so many seconds.", "schema": {"type": "integer"}}
}
_CHALLENGE = {"WWW-Authenticate": {"description": "How.", "schema": {"type": "string"}}}


class Described(FastAPI):
    def build_middleware_stack(self) -> ASGIApp:
        """Instead of the framework's, which has more layers."""
        handlers = dict(self.exception_handlers)
        on_bug = handlers.pop(Exception)
        return ServerErrorMiddleware(Answering(self.router, handlers), handler=on_bug)

    def openapi(self) -> Json:
        if self.openapi_schema is None:
            document = super().openapi()
            describe_security(document, self.state)
            _complete(document)
        # The framework keeps what it made, and returns it from now on.
        return super().openapi()


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and the operation, in the order of the routes."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def where_to_look(what: str) -> dict[int | str, Json]:
    """For a route's `responses`: a 202 that says where the thing can be watched."""
    location = {"description": f"The address of {what}.", "schema": {"type": "string"}}
    return {202: {"headers": {"Location": location, **_AGAIN}}}


def content(media_type: str, *, schema: Json | None = None) -> Json:
    """For a route's `responses`: a body that is streamed and not made from a model."""
    binary = {"type": "string", "format": "binary"}
    return {"content": {media_type: {"schema": schema or binary}}}


def event_stream() -> Json:
    """For a route's `responses`: what one of the server-sent events is made of."""
    parts = ("id", "event", "data")
    event = {"type": "object", "properties": {part: {"type": "string"} for part in parts}}
    return content(EVENT_STREAM, schema=event)


def unless_changed() -> dict[int | str, Json]:
    """For a route's `responses`: an answer with a tag, asked for again with If-None-Match."""
    tag = {"ETag": {"description": "Of this version.", "schema": {"type": "string"}}}
    return {200: {"headers": tag}, 304: {"description": "Unchanged.", "headers": tag}}


def _complete(document: Json) -> None:
    components: Json = document.setdefault("components", {})
    schemas: Json = components.setdefault("schemas", {})
    for name in _FRAMEWORKS_OWN:
        schemas.pop(name, None)
    schemas["Problem"] = dict(SCHEMA)
    for _, path, operation in operations(document):
        told = operation["responses"]
        if "HTTPValidationError" in str(told.get("422")):
            del told["422"]
        for status, response in _errors(path, operation).items():
            told.setdefault(status, response)


def _errors(path: str, operation: Json) -> dict[str, Json]:
    told: dict[str, Json] = {}
    if operation.get("security"):
        told["401"] = _error("The key is missing, unknown, expired or revoked.", _CHALLENGE)
        told["403"] = _error("The key is known and may not do this.")
    if "{" in path:
        told["404"] = _error("There is none of this id, or it belongs to somebody else.")
    if operation.get("parameters") or operation.get("requestBody"):
        told["422"] = _error("The request cannot be understood; `errors` says where.")
    told["4XX"] = _error("Refused for the reason that `type` names.", _AGAIN)
    told["5XX"] = _error("Not the caller's fault; `retryable` says what helps.", _AGAIN)
    return told


def _error(description: str, headers: Json | None = None) -> Json:
    more = {"headers": headers} if headers else {}
    return {"description": description, "content": {CONTENT_TYPE: {"schema": _PROBLEM}}, **more}


def phrase(status: str, description: str) -> str:
    """What a person is told: the framework's own words say less than the status does."""
    return HTTPStatus(int(status)).phrase if description == _FRAMEWORKS_WORDS else description
