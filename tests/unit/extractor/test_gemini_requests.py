"""A ready request and one of the provider's own client are the same request."""

import json
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import types

from services.extractor.adapters.gemini.client import config_of
from services.extractor.adapters.gemini.options import Document, GeminiOptions, Price
from services.extractor.adapters.gemini.ready import ReadyRequest

PRICE = Price(Decimal(1), Decimal(1), Decimal(1))
OPTIONS = GeminiOptions("gemini-3.8-flash", PRICE, base_url="http://127.0.0.1:9")
CONFIG = config_of(OPTIONS, 4096, "high")
DOCUMENTS = [Document(b"%PDF \xff\xfe\xfb", "application/pdf"), Document(b"", "image/png")]
QUESTION = 'Read "it"\n— and no more.'
OF_ONE_SENDING = {"content-length", "connection", "host"}


class Sent:
    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.http = httpx2.AsyncClient(transport=httpx2.MockTransport(self._take))

    def _take(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return httpx2.Response(200, text="{}")

    def told(self) -> list[tuple[str, str, dict[str, str], Any]]:
        return [
            (
                one.method,
                str(one.url),
                {k: v for k, v in one.headers.items() if k not in OF_ONE_SENDING},
                json.loads(one.content),
            )
            for one in self.requests
        ]


@pytest.mark.parametrize("count", [1, 2])
async def test_it_is_what_the_providers_own_client_sends(count: int) -> None:
    sent = Sent()
    documents = DOCUMENTS[:count]
    client = genai.Client(
        enterprise=False,
        api_key="k",
        http_options=types.HttpOptions(
            base_url=OPTIONS.base_url,
            timeout=int(OPTIONS.deadline_s * 1000),
            httpx_async_client=sent.http,
        ),
    )
    contents: list[types.PartUnion] = [
        *(types.Part.from_bytes(data=d.content, mime_type=d.media_type) for d in documents),
        QUESTION,
    ]
    await client.aio.models.generate_content(
        model=OPTIONS.model, contents=contents, config=CONFIG
    )
    await ReadyRequest(OPTIONS, "k", CONFIG).send(sent.http, documents, QUESTION)
    theirs, ours = sent.told()
    assert ours == theirs
