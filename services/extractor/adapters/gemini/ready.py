"""Requests of the provider's own client, made once: only what differs is put in for each call.

What is asked of a model is the same for every document, and long: making it anew costs more
than sending it. So the client makes one about nothing, which is kept, and nothing of its
wording is known here but how a document and a question stand in it.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any

import httpx2
from google import genai
from google.genai import errors, types

from services.extractor.adapters.gemini.options import Document, GeminiOptions

# Its bytes use both characters in which the two alphabets of base64 differ.
NOTHING = Document(b"\xfb\xef\xff nothing", "application/pdf")
NO_QUESTION = "?"
_GAP = "here stand the parts"
# Of one message and one connection: the client that sends it knows better.
_OF_ONE_SENDING = frozenset(("host", "content-length", "connection", "accept-encoding"))


class ReadyRequest:
    def __init__(
        self, options: GeminiOptions, key: str, config: types.GenerateContentConfig
    ) -> None:
        made = _made(options, key, config)
        self._url = str(made.url)
        self._headers = {
            name: value
            for name, value in made.headers.items()
            if name.lower() not in _OF_ONE_SENDING
        }
        self._before, self._behind = _around_the_parts(json.loads(made.content))
        self._timeout_s = options.deadline_s

    async def send(
        self, http: httpx2.AsyncClient, documents: Sequence[Document], question: str
    ) -> str:
        """The body of the answer. Raises what the provider's client would."""
        answered = await http.post(
            self._url,
            content=self._body(documents, question),
            headers=self._headers,
            timeout=self._timeout_s,
        )
        await errors.APIError.raise_for_async_response(answered)
        return answered.text

    def _body(self, documents: Sequence[Document], question: str) -> bytes:
        parts = json.dumps(_parts(documents, question))
        return f"{self._before}{parts}{self._behind}".encode()


def _made(
    options: GeminiOptions, key: str, config: types.GenerateContentConfig
) -> httpx2.Request:
    made: list[httpx2.Request] = []

    def keep(request: httpx2.Request) -> httpx2.Response:
        made.append(request)
        return httpx2.Response(200, json={})

    nowhere = httpx2.MockTransport(keep)
    with httpx2.Client(transport=nowhere) as http:
        client = genai.Client(
            enterprise=False,
            api_key=key,
            http_options=types.HttpOptions(
                base_url=options.base_url,
                timeout=int(options.deadline_s * 1000),
                httpx_client=http,
                httpx_async_client=httpx2.AsyncClient(transport=nowhere),
            ),
        )
        nothing = types.Part.from_bytes(data=NOTHING.content, mime_type=NOTHING.media_type)
        contents: list[types.PartUnionDict] = [nothing, NO_QUESTION]
        client.models.generate_content(model=options.model, contents=contents, config=config)
    [request] = made
    return request


def _around_the_parts(body: dict[str, Any]) -> tuple[str, str]:
    [content] = body["contents"]
    if content["parts"] != _parts([NOTHING], NO_QUESTION):
        raise RuntimeError("the provider's client words its requests in another way")
    content["parts"] = _GAP
    before, behind = json.dumps(body).split(json.dumps(_GAP))
    return before, behind


def _parts(documents: Sequence[Document], question: str) -> list[dict[str, Any]]:
    return [*({"inlineData": _inline(one)} for one in documents), {"text": question}]


def _inline(one: Document) -> dict[str, str]:
    return {
        "data": base64.urlsafe_b64encode(one.content).decode(),
        "mime_type": one.media_type,
    }
