"""A broker of its own for a test session: a virtual host, empty, and gone afterwards."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from secrets import token_hex
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.broker.database import Servers
from tests.eventually import eventually


class BrokerApi:
    """The management API, for what a client of the broker cannot see or do."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)

    async def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401
        return await asyncio.to_thread(self._call, method, path, body)

    def _call(self, method: str, path: str, body: object) -> Any:  # noqa: ANN401
        user, password = self._parts.username, self._parts.password
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        request = Request(
            f"http://{self._parts.hostname}:{self._parts.port}/api/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Basic {token}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=20) as answer:  # noqa: S310
            text = answer.read()
        return json.loads(text) if text else None


@asynccontextmanager
async def own_vhost() -> AsyncIterator[str]:
    """The AMQP address of a virtual host that nobody else uses."""
    servers = Servers()
    if servers.amqp_url is None or servers.amqp_api_url is None:
        pytest.skip("PAPERLINE_TEST_AMQP_URL and PAPERLINE_TEST_AMQP_API_URL are not set")
    api, name = BrokerApi(servers.amqp_api_url), f"test-{token_hex(4)}"
    parts = urlsplit(servers.amqp_url)
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    await api.call("PUT", f"vhosts/{name}", {})
    await api.call("PUT", f"permissions/{name}/{parts.username}", everything)
    try:
        yield parts._replace(path=f"/{name}").geturl()
    finally:
        await eventually(lambda: _is_gone(api, f"vhosts/{name}"), within_s=60, every_s=0.5)


async def _is_gone(api: BrokerApi, path: str) -> bool:
    """A broker that still writes what the last messages left behind may fail to delete, and
    does so when it is asked again."""
    try:
        await api.call("DELETE", path)
    except HTTPError as refused:
        if refused.code == HTTPStatus.INTERNAL_SERVER_ERROR:
            return False
        if refused.code != HTTPStatus.NOT_FOUND:
            raise
    return True


@asynccontextmanager
async def account(amqp_url: str, rights: Mapping[str, str]) -> AsyncIterator[str]:
    """The address of the same virtual host for somebody who may do this and nothing else."""
    servers, parts = Servers(), urlsplit(amqp_url)
    assert servers.amqp_api_url is not None
    api, user, password = BrokerApi(servers.amqp_api_url), f"test-{token_hex(4)}", token_hex(8)
    vhost = parts.path.removeprefix("/")
    await api.call("PUT", f"users/{user}", {"password": password, "tags": ""})
    try:
        await api.call("PUT", f"permissions/{vhost}/{user}", rights)
        netloc = f"{user}:{password}@{parts.hostname}:{parts.port}"
        yield parts._replace(netloc=netloc).geturl()
    finally:
        await api.call("DELETE", f"users/{user}")
