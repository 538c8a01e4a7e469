"""The one layer that makes answers of what routes raise on purpose.

The framework has three there, which look for the same error one after the other, and an upload
pays for each of them. A bug is not for here: it goes on, is answered further out, and logged.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Handler = Callable[[Request, Exception], Awaitable[Response]]
# Where the framework expects to find who closes the files of a form.
FILES = "fastapi_middleware_astack"


class Answering:
    def __init__(self, app: ASGIApp, handlers: Mapping[Any, Any]) -> None:
        """`handlers`: by the classes of what they answer."""
        self._app = app
        self._handlers = handlers
        self._expected = tuple(handlers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            async with AsyncExitStack() as files:
                scope[FILES] = files
                await self._app(scope, receive, watched)
        except self._expected as error:
            if has_begun:
                raise
            response = await self._handler(error)(Request(scope, receive), error)
            await response(scope, receive, send)

    def _handler(self, error: Exception) -> Handler:
        kind = next(one for one in type(error).__mro__ if one in self._handlers)
        handler: Handler = self._handlers[kind]
        return handler
