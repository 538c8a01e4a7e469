"""Deliveries over HTTP, to exactly the address that was checked, and nowhere else from there.

The name is looked up by us at each attempt and the connection is made to the address found;
the name itself remains in `Host` and in the certificate that is asked for, so that a second
answer of the same name server changes nothing. No redirect is followed, no proxy used, no
connection kept, and neither a long nor a slow answer is read to its end.
"""

import asyncio
import socket
import ssl
import time
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx

from services.ingest.domain.addresses import Policy, Refused, Target
from services.ingest.domain.webhooks import RESPONSE_CHARS_MAX, Answer
from shared.errors import Retryable

READ_BYTES_MAX = 64 * 1024
# Apart from the threads that everything else shares: somebody's name server may be slow.
LOOKUPS_AT_ONCE = 16
RETRY_AFTER_DIGITS_MAX = 6

OF_THE_CONNECTION = {"Accept-Encoding": "identity", "Connection": "close"}

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class SystemResolver:
    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LOOKUPS_AT_ONCE, thread_name_prefix="webhook-names")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Raises Retryable when the name stands for nothing, or nobody can say."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _addresses, host, port)
        except (OSError, UnicodeError) as error:
            raise Retryable(f"{host} cannot be looked up: {error}") from error
        return found


def _addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class HttpCourier:
    def __init__(
        self,
        policy: Policy,
        *,
        timeout_s: float,
        resolve: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._timeout_s = timeout_s
        self._resolve = resolve or SystemResolver()
        # The bare transport: a client would keep cookies for an address that many names share,
        # follow what the environment says about proxies, and write URLs into the log. Nor is a
        # connection kept: one made for a name would carry what is meant for another.
        self._transport = httpx.AsyncHTTPTransport(
            verify=trust or httpx.create_ssl_context(),
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def carry(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        began = time.monotonic()
        seen = _Seen()
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._post(url, headers, body, seen)
        except (TimeoutError, httpx.TimeoutException):
            seen.fail(f"no answer within {self._timeout_s:g} s")
        except Refused as refused:
            seen.fail(f"refused: {refused}")
        except Retryable:
            seen.fail("the name cannot be looked up")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            seen.fail(f"{type(error).__name__}: {error}")
        return seen.answer(time.monotonic() - began)

    async def close(self) -> None:
        await self._transport.aclose()

    async def _post(
        self, url: str, headers: Mapping[str, str], body: bytes, seen: "_Seen"
    ) -> None:
        # Again at each attempt: what is allowed may have changed since the URL was given.
        target = self._policy.target(url)
        request = self._request(target, await self._address(target), headers, body)
        response = await self._transport.handle_async_request(request)
        try:
            seen.status(response)
            async for piece in response.aiter_raw():
                seen.read += piece
                if len(seen.read) >= READ_BYTES_MAX:
                    return
        finally:
            await response.aclose()

    def _request(
        self, target: Target, address: str, headers: Mapping[str, str], body: bytes
    ) -> httpx.Request:
        return httpx.Request(
            "POST",
            httpx.URL(
                scheme=target.scheme,
                host=address,
                port=target.port,
                raw_path=target.path.encode(),
            ),
            headers={**headers, "Host": target.authority, **OF_THE_CONNECTION},
            content=body,
            extensions={
                # The certificate must be the name's, whichever address it has.
                "sni_hostname": target.host,
                "timeout": httpx.Timeout(self._timeout_s).as_dict(),
            },
        )

    async def _address(self, target: Target) -> str:
        if target.address is not None:
            return target.host
        return self._policy.choose(await self._resolve(target.host, target.port))


class _Seen:
    """What has been learned of an answer so far: its status counts even if the rest is cut."""

    def __init__(self) -> None:
        self.read = bytearray()
        self._status_code: int | None = None
        self._retry_after_s = 0.0
        self._error: str | None = None

    def status(self, response: httpx.Response) -> None:
        self._status_code = response.status_code
        asked = response.headers.get("retry-after", "").strip()
        if asked.isascii() and asked.isdigit() and len(asked) <= RETRY_AFTER_DIGITS_MAX:
            self._retry_after_s = float(asked)

    def fail(self, why: str) -> None:
        if self._status_code is None:
            self._error = _printable(why)

    def answer(self, duration_s: float) -> Answer:
        text = self.read[: 4 * RESPONSE_CHARS_MAX].decode(errors="replace")
        return Answer(
            duration_s=duration_s,
            status_code=self._status_code,
            error=self._error,
            response=_printable(text),
            retry_after_s=self._retry_after_s,
        )


def _printable(text: str) -> str:
    """For a person to read, and for a database that keeps no zero bytes."""
    kept = (one if unicodedata.category(one)[0] != "C" else " " for one in text)
    return "".join(kept)[:RESPONSE_CHARS_MAX]
