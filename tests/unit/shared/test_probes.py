"""Probes answer whatever is asked, and never because a dependency is there."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from shared.errors import Retryable
from shared.process import probes as module
from shared.process.probes import HEAD_LENGTH_MAX, Probes, heartbeat
from tests.eventually import eventually


class Bench:
    def __init__(self) -> None:
        self.stopping = asyncio.Event()
        self.shown = list[str]()
        self.opens = True
        self.probes = Probes(
            stopping=self.stopping, may_scrape=self._may_scrape, exchange_timeout_s=0.3
        )
        self.probes.started.set()
        self.port = 0

    def _may_scrape(self, authorization: str) -> bool:
        self.shown.append(authorization)
        return self.opens

    async def send(self, request: bytes, *, end: bool = False) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request)
        if end:
            writer.write_eof()
        try:
            async with asyncio.timeout(5):
                return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()

    async def get(self, path: str, method: str = "GET") -> tuple[int, str]:
        answer = await self.send(f"{method} {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        head, _, body = answer.decode().partition("\r\n\r\n")
        return int(head.split()[1]), body


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    async with bench.probes.listen("127.0.0.1", 0) as bench.port:
        yield bench


async def fine() -> None:
    return None


async def away() -> None:
    raise Retryable("no connection", dependency="postgres")


async def silent() -> None:
    await asyncio.Event().wait()


async def test_a_process_with_everything_in_place_is_ready(bench: Bench) -> None:
    bench.probes.add_check("database", fine)

    status, body = await bench.get("/readyz")

    assert status == 200
    assert json.loads(body) == {"database": "ok"}


async def test_an_absent_dependency_makes_it_unready_but_never_dead(bench: Bench) -> None:
    bench.probes.add_check("database", away)
    bench.probes.add_check("blobs", fine)

    status, body = await bench.get("/readyz")

    assert status == 503
    assert json.loads(body) == {"database": "Retryable: no connection", "blobs": "ok"}
    assert (await bench.get("/livez"))[0] == 200


async def test_a_check_may_say_what_is_wrong(bench: Bench) -> None:
    async def full() -> str:
        return "the outbox holds 100,000 rows"

    bench.probes.add_check("outbox", full)

    assert json.loads((await bench.get("/readyz"))[1]) == {
        "outbox": "the outbox holds 100,000 rows"
    }


async def test_a_silent_dependency_is_given_up_and_delays_no_other_check(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_TIMEOUT_S", 0.05)
    for number in range(20):
        bench.probes.add_check(f"silent {number}", silent)

    status, body = await bench.get("/readyz")

    assert status == 503
    assert set(json.loads(body).values()) == {"no answer within 0.05 s"}


async def test_a_draining_process_is_unready_and_alive(bench: Bench) -> None:
    bench.stopping.set()

    assert await bench.get("/readyz") == (503, '{"process": "draining"}')
    assert (await bench.get("/livez"))[0] == 200


async def test_a_starting_process_is_neither_started_nor_ready(bench: Bench) -> None:
    bench.probes.started.clear()

    assert (await bench.get("/startupz"))[0] == 503
    assert (await bench.get("/readyz"))[0] == 503
    bench.probes.started.set()
    assert (await bench.get("/startupz"))[0] == 200


async def test_metrics_are_served_to_a_scraper(bench: Bench) -> None:
    status, body = await bench.get("/metrics?name[]=x")

    assert status == 200
    assert "paperline_deliveries" in body


async def test_a_scraper_gets_the_format_that_it_asks_for(bench: Bench) -> None:
    accept = b"Accept: application/openmetrics-text;version=1.0.0"

    answer = await bench.send(b"GET /metrics HTTP/1.1\r\n" + accept + b"\r\n\r\n")

    assert b"content-type: application/openmetrics-text" in answer
    assert answer.endswith(b"# EOF\n")


async def test_metrics_are_for_whoever_shows_what_opens_them(bench: Bench) -> None:
    shown = b"GET /metrics HTTP/1.1\r\nAuthorization:  Bearer of metrics\r\n\r\n"
    opened = await bench.send(shown)
    bench.opens = False

    refused = await bench.send(b"GET /metrics HTTP/1.1\r\n\r\n")

    assert b"paperline_deliveries" in opened
    assert refused.startswith(b"HTTP/1.1 401 ")
    assert b"www-authenticate: Bearer\r\n" in refused
    assert b"paperline_" not in refused
    assert bench.shown == ["Bearer of metrics", ""]
    # Who decides whether a process lives has nothing to show.
    assert (await bench.get("/livez"))[0] == (await bench.get("/readyz"))[0] == 200


async def test_a_head_request_gets_no_body(bench: Bench) -> None:
    assert await bench.get("/livez", method="HEAD") == (200, "")


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /secrets HTTP/1.1", 404),
        ("POST /livez HTTP/1.1", 405),
        ("GET /livez", 400),
        ("\x00\x01 garbage of many words", 400),
        ("GET /livez SMTP/1.0", 400),
    ],
)
async def test_a_strange_request_is_refused(
    bench: Bench, request_line: str, status: int
) -> None:
    answer = await bench.send(f"{request_line}\r\n\r\n".encode())

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


async def test_endless_headers_are_refused(bench: Bench) -> None:
    answer = await bench.send(b"GET /livez HTTP/1.1\r\nx: " + b"y" * 2 * HEAD_LENGTH_MAX)

    # The refusal may be overtaken by the reset of a connection with unread input.
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
    assert (await bench.get("/livez"))[0] == 200


async def test_a_slow_client_is_hung_up_on(bench: Bench) -> None:
    assert await bench.send(b"GET /livez HTTP/1.1\r\n") == b""


async def test_half_a_request_disturbs_nobody(bench: Bench) -> None:
    assert await bench.send(b"GET /li", end=True) == b""
    assert (await bench.get("/livez"))[0] == 200


async def test_idle_connections_leave_room_for_the_probe(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECTIONS_MAX", 8)
    idle = [await asyncio.open_connection("127.0.0.1", bench.port) for _ in range(20)]

    async def answers() -> bool:
        answer = await bench.send(b"GET /livez HTTP/1.1\r\n\r\n")
        return answer.startswith(b"HTTP/1.1 200 ")

    await eventually(answers, within_s=5)
    for _reader, writer in idle:
        writer.close()


async def test_the_heartbeat_tells_how_late_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.01)
    beats: list[float] = []
    beating = asyncio.create_task(heartbeat(beats.append))

    await eventually(lambda: len(beats) >= 3)
    beating.cancel()

    assert all(lag >= 0 for lag in beats)
