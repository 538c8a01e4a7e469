"""Documents that are too large for one request: left at the provider first, and taken away.

They go by names of our own, so that each is deleted whatever became of its upload: an answer
that never came would otherwise leave somebody's invoice lying there for two days.
"""

import asyncio
import io
import logging
from collections.abc import Sequence
from uuid import uuid4

import httpx2
from google import genai
from google.genai import errors, types

from services.extractor.adapters.gemini.options import Document
from services.extractor.adapters.gemini.outcomes import cannot_take, of_error, said
from services.extractor.domain.providers import Away

log = logging.getLogger(__name__)

# It is asked how far it is, less and less often.
LOOK_AFTER_S, LOOK_EVERY_S = 0.2, 2.0
DELETED_WITHIN_S = 5.0
# An upload without a word of how far it has come: the client would wait, and all of us with it.
COMMAND, STATUS = "x-goog-upload-command", "x-goog-upload-status"
# Asked for what is not there, it says that one may not see it.
NOT_THERE = frozenset({403, 404})


class NotUploaded(Exception):
    """The provider took a piece and did not say that it did."""


class Files:
    """Those of one call. Where they are used, `delete` follows in any case."""

    def __init__(self) -> None:
        self._begun: list[tuple[genai.Client, str]] = []

    async def part(self, client: genai.Client, document: Document) -> types.Part:
        """What stands for the document in a request, once the provider has opened it."""
        name = f"files/{uuid4().hex}"
        self._begun.append((client, name))
        try:
            config = types.UploadFileConfig(name=name, mime_type=document.media_type)
            content = io.BytesIO(document.content)
            file = await client.aio.files.upload(file=content, config=config)
            file = await _opened(client, file, name)
        except errors.APIError as error:
            raise of_error(error) from said(error)
        except (NotUploaded, KeyError, ValueError) as error:
            # Cut off, or not what this API answers; a reason of ours, never its text.
            raise Away("garbled_transport") from NotUploaded(type(error).__name__)
        return types.Part.from_uri(file_uri=file.uri or "", mime_type=document.media_type)

    async def delete(self) -> None:
        """Raises nothing: the answer is there, and the provider forgets files by itself."""
        await asyncio.gather(*(_delete(client, name) for client, name in self._begun))
        self._begun.clear()


def too_large_to_inline(documents: Sequence[Document], bytes_max: int) -> set[int]:
    """Which of them have to go ahead: the largest, until the others fit into the request."""
    sizes = {place: len(one.content) for place, one in enumerate(documents)}
    ahead: set[int] = set()
    for place in sorted(sizes, key=lambda one: -sizes[one]):
        if sum(size for one, size in sizes.items() if one not in ahead) <= bytes_max:
            break
        ahead.add(place)
    return ahead


async def refuse_silence(response: httpx2.Response) -> None:
    """Of an upload's answers: the client waits for one that says nothing, asleep with all that
    run beside it, and tries again, though trying again is not for it to decide."""
    command = response.request.headers.get(COMMAND, "")
    if command.startswith("upload") and not response.headers.get(STATUS):
        await errors.APIError.raise_for_async_response(response)
        raise NotUploaded("no status")


async def _opened(client: genai.Client, file: types.File, name: str) -> types.File:
    wait_s = LOOK_AFTER_S
    while file.state == types.FileState.PROCESSING:
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, LOOK_EVERY_S)
        file = await _looked_at(client, name)
    if file.state == types.FileState.FAILED:
        raise cannot_take("the provider cannot open the file")
    if file.state != types.FileState.ACTIVE or not file.uri:
        raise NotUploaded(str(file.state))
    return file


async def _looked_at(client: genai.Client, name: str) -> types.File:
    try:
        return await client.aio.files.get(name=name)
    except errors.APIError as error:
        if error.code not in NOT_THERE or _is_about_the_key(error):
            raise
        # It was there a moment ago: what they made of it they did not want to keep.
        raise cannot_take(f"file_http_{error.code}") from said(error)


async def _delete(client: genai.Client, name: str) -> None:
    try:
        async with asyncio.timeout(DELETED_WITHIN_S):
            await client.aio.files.delete(name=name)
    except errors.APIError as error:
        # What never arrived need not go.
        if error.code not in NOT_THERE:
            _left(name, str(said(error)))
    except (TimeoutError, httpx2.TransportError, ValueError) as error:
        _left(name, type(error).__name__)


def _left(name: str, why: str) -> None:
    log.warning("upload_left_behind", extra={"file": name, "why": why})


def _is_about_the_key(error: errors.APIError) -> bool:
    return "API_KEY" in str(error.details) or "API key" in str(error.message or "")
