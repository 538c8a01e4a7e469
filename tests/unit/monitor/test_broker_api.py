"""The management API is somebody else's: whatever it answers, the overview only gets a gap."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from services.monitor.adapters.broker_api import ManagementApi
from services.monitor.adapters.broker_nodes import BrokerNodes
from services.monitor.adapters.passive_broker import RicherBroker
from services.monitor.domain.capacity import BROKER_DISK, BROKER_FILES, BROKER_MEMORY
from services.monitor.domain.overview import QueueState
from shared.errors import Retryable
from tests.fakes.monitor import FakeBroker

OLDEST = datetime(2026, 3, 14, 9, 27, 14, tzinfo=UTC)


@dataclass(slots=True)
class Management:
    """Answers every request with the same, and remembers what it was asked."""

    status: int = 200
    body: bytes = b"[]"
    asked: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def api(self) -> ManagementApi:
        return ManagementApi(f"http://mona:p%40ss@127.0.0.1:{self.port}/api", "/", 5)


@pytest.fixture
def management() -> Iterator[Management]:
    told = Management()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append((self.path, self.headers.get("Authorization", "")))
            self.send_response(told.status)
            self.end_headers()
            self.wfile.write(told.body)

        def log_message(self, format: str, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        told.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield told
        server.shutdown()
        thread.join()


async def test_queues_are_listed_by_name_with_what_is_known_of_them(
    management: Management,
) -> None:
    rates = {"publish_details": {"rate": 1.5}, "deliver_get_details": {"rate": 2.5}}
    full = {
        "name": "b",
        "messages_ready": 3,
        "messages_unacknowledged": 1,
        "consumers": 2,
        "message_stats": rates,
        "head_message_timestamp": 1_773_480_434,
    }
    management.body = json.dumps([full, {"name": "a"}]).encode()

    queues = await management.api.list_queues()

    assert queues == [QueueState("a", 0, 0, 0), QueueState("b", 3, 1, 2, 1.5, 2.5, OLDEST)]
    [(path, authorization)] = management.asked
    assert path.startswith("/api/queues/%2F?")
    assert authorization == "Basic bW9uYTpwQHNz"


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, b"{}"), (200, b"<html>"), (200, b'{"error": 1}'), (200, b'[{"named": "x"}]')],
    ids=["refused", "no JSON", "no list", "no names"],
)
async def test_an_answer_that_is_none_of_ours_is_no_answer(
    management: Management, status: int, body: bytes
) -> None:
    management.status, management.body = status, body

    with pytest.raises(Retryable) as caught:
        await management.api.list_queues()

    assert caught.value.dependency == "broker"
    assert "p@ss" not in str(caught.value)


async def test_nobody_listening_is_no_answer(management: Management) -> None:
    with pytest.raises(Retryable):
        await ManagementApi("http://127.0.0.1:1", "/", 1).list_queues()


async def test_while_it_is_away_the_broker_itself_is_asked(management: Management) -> None:
    plain = FakeBroker()
    plain.queues = [QueueState("a", 1, None, 1)]
    management.body = b"[]"

    rich = await RicherBroker(management.api, plain).list_queues()
    management.status = 500
    away = await RicherBroker(management.api, plain).list_queues()

    assert (rich, away) == ([], plain.queues)


NODE = {
    "mem_used": 300,
    "mem_limit": 400,
    "disk_free": 1_000,
    "disk_free_limit": 100,
    "fd_used": 10,
    "fd_total": 100,
    "running": True,
}


async def test_nodes_are_asked_of_the_management_api(management: Management) -> None:
    dead = {"name": "b", "running": False}
    management.body = json.dumps([NODE, dead]).encode()

    shares = await BrokerNodes(management.api).measure_shares()

    assert shares == {BROKER_MEMORY: 0.75, BROKER_DISK: 0.1, BROKER_FILES: 0.1}
    assert management.asked[0][0].startswith("/api/nodes?")


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, b"{}"), (200, b"<html>"), (200, b'{"error": 1}'), (200, b'[{"running": true}]')],
    ids=["refused", "no JSON", "no list", "no numbers"],
)
async def test_what_tells_nothing_of_a_node_is_no_answer(
    management: Management, status: int, body: bytes
) -> None:
    management.status, management.body = status, body

    with pytest.raises(Retryable):
        await BrokerNodes(management.api).measure_shares()
