"""The JSON of a request, read in one way only, whichever route it is for.

The framework's own reader takes the last of two values, NaN, and nesting until the stack ends;
its place is the request, so no route can be forgotten.
"""

from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from shared.strict_json import NotJson, Path, RepeatedKey, read_json

PATHS_MAX = 20


class UnreadableBody(HTTPException):
    """One of the framework's own kind: any other it would tell in its own words."""

    def __init__(self, told: RequestValidationError) -> None:
        super().__init__(HTTPStatus.UNPROCESSABLE_ENTITY)
        self.told = told


class StrictRequest(Request):
    async def json(self) -> Any:  # noqa: ANN401 -- whatever JSON holds
        body = await self.body()
        try:
            return read_json(body)
        except NotJson as error:
            raise UnreadableBody(not_read(error, ("body",))) from error


def not_read(error: NotJson, where: Path) -> RequestValidationError:
    """Each of the keys that stand twice, under its pointer; or the body as a whole."""
    repeated = error.paths[:PATHS_MAX] if isinstance(error, RepeatedKey) else []
    said = str(error) if repeated else f"not JSON: {error}"
    return RequestValidationError(
        [{"loc": (*where, *path), "msg": said} for path in (repeated or [()])]
    )
