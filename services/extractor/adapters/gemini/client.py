"""The provider's own client, held within bounds: connections, time, size, and no retries.

The client stays out of the way where it can: no retries of its own, no automatic function
calls, and the raw body instead of its response types. An answer without end is cut off while it
is read, since everything above takes a body whole.
"""

import asyncio
import logging
import math
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import httpx2
from google import genai
from google.genai import errors, types

from services.extractor.adapters.gemini.files import (
    Files,
    refuse_silence,
    too_large_to_inline,
)
from services.extractor.adapters.gemini.options import (
    Document,
    GeminiOptions,
    MediaResolution,
)
from services.extractor.adapters.gemini.outcomes import of_error, of_transport, said
from services.extractor.adapters.gemini.prompt import INSTRUCTION
from services.extractor.adapters.gemini.ready import ReadyRequest
from services.extractor.adapters.gemini.reply import Reply, heard
from services.extractor.adapters.gemini.schema import SCHEMA
from services.extractor.domain.providers import Away

# It tells of every request at INFO, a hundred lines a second that say nothing.
for noisy in ("httpx2", "google_genai"):
    logging.getLogger(noisy).setLevel(logging.WARNING)

REPLY_BYTES_MAX = 6 * 1024 * 1024
LANE_CONNECTIONS = 4
CONNECT_S = 10.0
KEPT_ALIVE_S = 60.0
LEVELS = ("minimal", "low", "medium", "high")


class GeminiClient:
    """Behind it many pools of a few connections each: a pool looks at all of its own for every
    request, and with hundreds of them that costs more than the request."""

    def __init__(self, options: GeminiOptions, key: str) -> None:
        self._options = options
        self._key = key
        lanes = max(1, options.connections_max // LANE_CONNECTIONS)
        context = httpx2.create_ssl_context()
        if options.ca_file is not None:
            context.load_verify_locations(options.ca_file)
        connections = math.ceil(options.connections_max / lanes)
        limits = httpx2.Limits(
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=KEPT_ALIVE_S,
        )
        # The client makes itself one for its other half, if it is not given one.
        self._unused = httpx2.Client(verify=context)
        self._lanes = [self._lane(context, limits) for _ in range(lanes)]
        self._first = config_of(options, options.output_tokens_max, options.media_resolution)
        again: MediaResolution = "medium" if options.media_resolution == "high" else "high"
        self._again = config_of(options, 2 * options.output_tokens_max, again)
        self._ready = ReadyRequest(options, key, self._first)
        self._ready_again = ReadyRequest(options, key, self._again)

    async def ask(
        self, documents: Sequence[Document], question: str, *, again: bool = False
    ) -> Reply | None:
        """One call and no more. None when what came is not this API's. `again` asks for the
        same with a larger budget and another resolution, after an answer that was no use."""
        files = Files()
        try:
            async with asyncio.timeout(self._options.deadline_s):
                body = await self._generate(documents, question, files, again=again)
        except TimeoutError as error:
            raise Away("timeout") from error
        except errors.APIError as error:
            raise of_error(error) from said(error)
        except httpx2.TransportError as error:
            raise of_transport(error) from error
        except (TooLong, ValueError):
            # An error's body that is no text, or an answer without end.
            return None
        finally:
            await files.delete()
        return heard(body)

    async def _generate(
        self, documents: Sequence[Document], question: str, files: Files, *, again: bool
    ) -> str:
        ahead = too_large_to_inline(documents, self._options.inline_bytes_max)
        lane = min(self._lanes, key=lambda one: one.busy)
        lane.busy += 1
        try:
            if not ahead:
                ready = self._ready_again if again else self._ready
                return await ready.send(lane.http, documents, question)
            client = self._provider_behind(lane.http)
            contents: list[types.PartUnion] = [
                await files.part(client, one)
                if place in ahead
                else types.Part.from_bytes(data=one.content, mime_type=one.media_type)
                for place, one in enumerate(documents)
            ]
            contents.append(question)
            answered = await client.aio.models.generate_content(
                model=self._options.model,
                contents=contents,
                config=self._again if again else self._first,
            )
        finally:
            lane.busy -= 1
        sent = answered.sdk_http_response
        return (sent.body or "") if sent is not None else ""

    def _lane(self, context: ssl.SSLContext, limits: httpx2.Limits) -> "_Lane":
        http = httpx2.AsyncClient(
            verify=context,
            limits=limits,
            event_hooks={"request": [_connect_soon], "response": [_bound, refuse_silence]},
        )
        return _Lane(http)

    def _provider_behind(self, http: httpx2.AsyncClient) -> genai.Client:
        options = types.HttpOptions(
            base_url=self._options.base_url,
            timeout=int(self._options.deadline_s * 1000),
            httpx_client=self._unused,
            httpx_async_client=http,
        )
        return genai.Client(enterprise=False, api_key=self._key, http_options=options)

    async def close(self) -> None:
        self._unused.close()
        for lane in self._lanes:
            await lane.http.aclose()


@dataclass(slots=True)
class _Lane:
    http: httpx2.AsyncClient
    busy: int = 0


def config_of(
    options: GeminiOptions, output_tokens: int, resolution: MediaResolution
) -> types.GenerateContentConfig:
    return types.GenerateContentConfig(
        system_instruction=INSTRUCTION,
        response_mime_type="application/json",
        # Not `response_schema`: for that one the client adds an order of its own, with which
        # models leave fields out (python-genai #2418).
        response_json_schema=SCHEMA,
        max_output_tokens=output_tokens,
        candidate_count=1,
        thinking_config=_thinking(options.thinking),
        media_resolution=_resolution(resolution),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        should_return_http_response=True,
    )


def _thinking(told: str) -> types.ThinkingConfig:
    if told in LEVELS:
        return types.ThinkingConfig(thinking_level=types.ThinkingLevel(told.upper()))
    return types.ThinkingConfig(thinking_budget=int(told))


def _resolution(told: MediaResolution) -> types.MediaResolution | None:
    if told == "default":
        return None
    return types.MediaResolution(f"MEDIA_RESOLUTION_{told.upper()}")


class TooLong(Exception):
    """More than an answer can be."""


async def _connect_soon(request: httpx2.Request) -> None:
    """The client gives one limit for everything; a host that is away is known sooner."""
    timeout = request.extensions.get("timeout", {})
    request.extensions["timeout"] = {**timeout, "connect": CONNECT_S}


async def _bound(response: httpx2.Response) -> None:
    """Only so much of it is read, whatever its head promises."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self._stream:
            read += len(piece)
            if read > REPLY_BYTES_MAX:
                raise TooLong
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
