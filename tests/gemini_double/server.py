"""The double itself: listens on loopback, keeps its ledger, follows its script.

Beside the API it has a door for whoever steers it from another process:

    POST   /__double__/mode     a step: {"mode", "options", "count", "after", "sha256"}
    POST   /__double__/answer   {"sha256", "answer"}: what the model says of this content
    GET    /__double__/ledger   counts, concurrency, the last calls
    DELETE /__double__/ledger   forgets calls, script and answers
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.gemini_double import invoices, replies
from tests.gemini_double.answers import Asked, objection, spoken, understood, within
from tests.gemini_double.files import Files
from tests.gemini_double.ledger import Call, Ledger
from tests.gemini_double.script import Script, Step
from tests.gemini_double.wire import (
    HEAD_BYTES_MAX,
    Request,
    Response,
    drip,
    hang,
    pause,
    read_request,
    reset,
    send,
)

_GENERATE = re.compile(r"/v1(?:beta|alpha)?/models/(?P<model>[\w.-]+):generateContent")
NOT_FOUND = Response(404, replies.error(404, "NOT_FOUND", "no such method"))
WRONG_KEY = "wrong"


@dataclass(slots=True)
class GeminiDouble:
    # None takes every key but `wrong`.
    key: str | None = None
    script: Script = field(default_factory=Script)
    ledger: Ledger = field(default_factory=Ledger)
    files: Files = field(default_factory=Files)
    # By content, in place of what is read in it.
    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    url: str = ""
    _server: asyncio.Server | None = None
    _serving: set[asyncio.Task[None]] = field(default_factory=set)
    _read: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    # The PDF library bears one thread at a time.
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> Self:
        self._server = await asyncio.start_server(
            self._serve, host, port, limit=HEAD_BYTES_MAX, backlog=1024
        )
        self.url = f"http://{host}:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def will(self, mode: str, count: int | None = None, **options: object) -> None:
        """So many requests end like this; without a count, all that follow."""
        self.script.tell(Step(mode, options, count))

    async def serve_forever(self) -> None:
        if self._server is None:
            raise RuntimeError("not started")
        await self._server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        self.ledger.connections += 1
        try:
            while (request := await read_request(reader)) is not None:
                if not await self._answer(request, reader, writer):
                    break
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            # The other side left, does not speak HTTP, or the test is over.
            return
        finally:
            writer.close()

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """False when the connection is over."""
        if request.path.startswith("/__double__/"):
            await send(writer, self._steered(request))
            return True
        if (about_a_file := self.files.answer(request, self.url)) is not None:
            return await self._said_of_a_file(request, about_a_file, reader, writer)
        match = _GENERATE.fullmatch(request.path.partition("?")[0])
        if request.method != "POST" or match is None:
            await send(writer, NOT_FOUND)
            return True
        if (turned_away := self._unauthorized(request)) is not None:
            await send(writer, turned_away)
            return True
        try:
            asked = understood(match["model"], request.body, self.files)
        except (ValueError, KeyError, TypeError):
            body = replies.error(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")
            await send(writer, Response(400, body))
            return True
        return await self._generate(asked, reader, writer)

    async def _said_of_a_file(
        self,
        request: Request,
        response: Response,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        if not response.status:
            await hang(reader)
            return False
        # Whoever knows where a file is to go needs no key.
        is_piece = "upload_id=" in request.path
        turned_away = None if is_piece else self._unauthorized(request)
        await send(writer, turned_away or response)
        return True

    def _unauthorized(self, request: Request) -> Response | None:
        key = request.headers.get("x-goog-api-key", "")
        if key and key != WRONG_KEY and self.key in (None, key):
            return None
        self.ledger.unauthorized += 1
        return Response(400, replies.wrong_key()) if key else Response(403, replies.no_key())

    async def _generate(
        self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        sha256 = asked.sha256
        step = self.script.next(sha256)
        call = _noted(asked, sha256, step)
        self.ledger.begin(call)
        status: int | None = None
        try:
            await pause(float(step.options.get("delay_s", 0)))
            response = objection(asked)
            if response is None:
                answer = within(asked.schema, await self._invoice(asked, sha256))
                response = spoken(step, asked, answer)
            if not await _sent(step, response, reader, writer):
                return False
            status = response.status
            return True
        finally:
            self.ledger.end(call, time.time(), status)

    async def _invoice(self, asked: Asked, sha256: str) -> Mapping[str, Any]:
        if sha256 in self.answers:
            return self.answers[sha256]
        if sha256 not in self._read:
            content = b"".join(asked.documents)
            async with self._reading:
                self._read[sha256] = await asyncio.to_thread(
                    invoices.read, content, asked.media_types, sha256
                )
        return self._read[sha256]

    def _steered(self, request: Request) -> Response:
        """Badly told is a 400 with the reason, so that a typing error does not pass a test."""
        what = (request.method, request.path.removeprefix("/__double__/"))
        try:
            told = json.loads(request.body or b"{}")
            if what == ("POST", "mode"):
                self.script.tell(Step(**told))
            elif what == ("POST", "answer"):
                self.answers[told["sha256"]] = told["answer"]
            elif what == ("GET", "ledger"):
                return _json(self.ledger.told())
            elif what == ("DELETE", "ledger"):
                self.forget()
            else:
                return NOT_FOUND
        except (ValueError, TypeError, KeyError) as error:
            return Response(400, json.dumps({"error": str(error)}).encode())
        return _json({"ok": True})

    def forget(self) -> None:
        self.ledger.forget()
        self.script.forget()
        self.answers.clear()


async def _sent(
    step: Step, response: Response, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    if step.mode == "hang":
        await hang(reader)
    elif step.mode == "drip":
        await drip(reader, writer, response)
    elif step.mode == "reset_at_once":
        await reset(writer)
    elif step.mode == "reset":
        await reset(writer, response.head() + response.body[: len(response.body) // 2])
    else:
        await send(writer, response)
        return True
    return False


def _noted(asked: Asked, sha256: str, step: Step) -> Call:
    config = {name: one for name, one in asked.config.items() if "Schema" not in name}
    return Call(
        time.time(),
        asked.model,
        sha256,
        asked.media_types,
        step.mode,
        asked.texts,
        asked.instruction,
        config,
    )


def _json(told: Mapping[str, Any]) -> Response:
    return Response(200, json.dumps(told).encode())
