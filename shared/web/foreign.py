"""What a server that is not ours says: asked within limits, and believed to be JSON at most.

It may be slow, endless, somewhere else, or in the hands of somebody else; then it has simply
not answered. What was asked and what was said are told to nobody: both may hold secrets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx

from shared.access.provider import DESCRIPTION_PATH
from shared.process.api_settings import require_safe_url
from shared.strict_json import NotJson, read_json

ANSWER_BYTES_MAX = 256 * 1024
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}

# Whatever an answer of somebody else is made of, it is no answer.
NO_ANSWER = (
    TimeoutError,
    httpx.HTTPError,
    httpx.InvalidURL,
    ValueError,
    TypeError,
    RecursionError,
)


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    content: Mapping[str, Any]


def calling(timeout_s: float) -> httpx.AsyncClient:
    """Follows nobody who says that the answer is elsewhere."""
    return httpx.AsyncClient(
        headers=HEADERS, timeout=httpx.Timeout(timeout_s), follow_redirects=False
    )


async def get(client: httpx.AsyncClient, url: str) -> Mapping[str, Any]:
    said = await ask(client, client.build_request("GET", url))
    if said.status != HTTPStatus.OK:
        raise ValueError(f"answered {said.status}")
    return said.content


async def ask(client: httpx.AsyncClient, request: httpx.Request) -> Said:
    """Raises one of `NO_ANSWER`, also for what is no object of JSON."""
    answer = await client.send(request, stream=True)
    try:
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > ANSWER_BYTES_MAX:
                raise ValueError(f"answered more than {ANSWER_BYTES_MAX} bytes")
    finally:
        await answer.aclose()
    try:
        found = read_json(bytes(body))
    except NotJson:
        # Not from it: a decoder that complains holds what it complains of.
        raise ValueError(f"answered {answer.status_code}, and no JSON") from None
    if not isinstance(found, dict):
        raise TypeError("answered something else than an object")
    return Said(answer.status_code, found)


async def describe(client: httpx.AsyncClient, issuer: str) -> Mapping[str, Any]:
    """What an identity provider says of itself (OpenID Connect Discovery)."""
    description = await get(client, issuer.rstrip("/") + DESCRIPTION_PATH)
    if description.get("issuer") != issuer:
        raise ValueError("the provider describes itself under another name")
    return description


def address_in(description: Mapping[str, Any], name: str) -> str:
    url = str(description.get(name))
    require_safe_url(url)
    return url
