"""A delivery over real sockets: where it goes, what it carries, and what it survives."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.ingest.adapters.courier import READ_BYTES_MAX, HttpCourier
from services.ingest.adapters.courier_when_needed import CourierWhenNeeded
from services.ingest.domain.addresses import Policy, networks_of
from services.ingest.domain.webhooks import Answer
from shared.errors import Retryable
from tests.fakes.certificates import certified_for
from tests.fakes.receiver import (
    Receiver,
    Say,
    dripping_head,
    receiver,
    silence,
    status,
    unfinished,
)
from tests.fakes.webhooks import FakeCourier

LOOPBACK = networks_of("127.0.0.0/8")
NAMED = "hooks.example"


class Names:
    """A name server that answers in turn, the last answer for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not found:
            raise Retryable("nobody knows")
        return found


@asynccontextmanager
async def courier(
    names: Names | None = None,
    *,
    policy: Policy | None = None,
    timeout_s: float = 5,
    trust: ssl.SSLContext | None = None,
) -> AsyncIterator[HttpCourier]:
    one = HttpCourier(
        policy or Policy(allowed=LOOPBACK, plain_http=True),
        timeout_s=timeout_s,
        resolve=names or Names(["127.0.0.1"]),
        trust=trust or ssl.create_default_context(),
    )
    try:
        yield one
    finally:
        await one.close()


async def _carry(one: HttpCourier, url: str, body: bytes = b"{}") -> Answer:
    return await one.carry(url, {"Paperline-Event": "document.ended"}, body)


@pytest.fixture
async def theirs() -> AsyncIterator[Receiver]:
    async with receiver() as one:
        yield one


async def test_a_delivery_is_a_post_to_the_name_at_the_address_that_was_checked(
    theirs: Receiver,
) -> None:
    theirs.answers = [status(202, "thank you")]
    async with courier() as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/hook?a=%20b", b'{"a":1}')

    [heard] = theirs.heard
    assert (heard.method, heard.path, heard.body) == ("POST", "/hook?a=%20b", b'{"a":1}')
    assert heard.headers["host"] == f"{NAMED}:{theirs.port}"
    assert heard.headers["paperline-event"] == "document.ended"
    assert heard.headers["accept-encoding"] == "identity"
    assert (answer.status_code, answer.error, answer.response) == (202, None, "thank you")


async def test_a_name_that_is_public_at_first_and_private_later_is_not_told(
    theirs: Receiver,
) -> None:
    names = Names(["8.8.8.8"], ["127.0.0.1"])
    async with courier(names, policy=Policy(plain_http=True), timeout_s=0.5) as ours:
        url = f"http://{NAMED}:{theirs.port}/"
        first = await _carry(ours, url)
        then = await _carry(ours, url)

    # One look-up for each attempt, and what it found is all that was connected to.
    assert names.asked == [NAMED, NAMED]
    assert first.status_code is None
    assert then.error == "refused: the address is not public"
    assert theirs.connections == 0


async def test_what_was_checked_is_what_is_connected_to(theirs: Receiver) -> None:
    # To the machine's own resolver this name is nobody: only the pinned address is reached.
    async with courier(Names(["127.0.0.1"])) as ours:
        answer = await _carry(ours, f"http://no-such-host.invalid:{theirs.port}/")

    assert answer.status_code == 200


async def test_a_private_address_is_not_even_connected_to(theirs: Receiver) -> None:
    async with courier(policy=Policy(plain_http=True)) as ours:
        by_name = await _carry(ours, f"http://{NAMED}:{theirs.port}/")
        by_number = await _carry(ours, f"http://127.0.0.1:{theirs.port}/")

    assert by_name.error == by_number.error == "refused: the address is not public"
    assert theirs.connections == 0


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(theirs: Receiver, code: int) -> None:
    theirs.answers = [status(code, Location=f"http://127.0.0.1:{theirs.port}/elsewhere")]
    async with courier() as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert answer.status_code == code
    assert [heard.path for heard in theirs.heard] == ["/"]


async def test_no_proxy_of_the_environment_is_asked(
    theirs: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{theirs.port}")
    async with receiver() as another, courier() as ours:
        await _carry(ours, f"http://{NAMED}:{another.port}/")
        reached = another.connections

    assert (reached, theirs.connections) == (1, 0)


async def test_no_connection_and_no_cookie_is_kept_for_whoever_shares_the_address(
    theirs: Receiver,
) -> None:
    theirs.answers = [status(200, Set_Cookie="who=first")]
    async with courier() as ours:
        await _carry(ours, f"http://first.example:{theirs.port}/")
        await _carry(ours, f"http://second.example:{theirs.port}/")

    assert theirs.connections == 2
    assert "cookie" not in theirs.heard[1].headers


@pytest.mark.parametrize("answer", [silence, dripping_head], ids=["silent", "dripping"])
async def test_who_does_not_answer_in_time_is_left(theirs: Receiver, answer: Say) -> None:
    theirs.answers = [answer]
    async with courier(timeout_s=0.3) as ours:
        found = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert (found.status_code, found.error) == (None, "no answer within 0.3 s")


async def test_a_slow_name_server_takes_no_longer_than_a_slow_receiver() -> None:
    async def forever(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    ours = HttpCourier(Policy(), timeout_s=0.2, resolve=forever)
    answer = await _carry(ours, f"https://{NAMED}/")
    await ours.close()

    assert answer.error == "no answer within 0.2 s"


async def test_a_status_counts_even_if_the_rest_never_comes(theirs: Receiver) -> None:
    theirs.answers = [unfinished]
    async with courier(timeout_s=0.3) as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert (answer.status_code, answer.error) == (200, None)
    assert answer.response == "the beginning"


async def test_an_endless_answer_is_not_read_to_its_end(theirs: Receiver) -> None:
    sent: list[int] = []

    async def endless(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"x" * READ_BYTES_MAX)
            sent.append(READ_BYTES_MAX)
            await writer.drain()

    theirs.answers = [endless]
    async with courier(timeout_s=2) as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert (answer.status_code, answer.response) == (200, "x" * 1024)
    # What the sockets between us took in, and no more.
    assert sum(sent) < 20_000_000


NONSENSE = {
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "nothing": b"",
    "a broken status": b"HTTP/1.1 abc What\r\n\r\n",
    "a broken length": b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    "a header without end": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 500_000,
    "a broken header": b"HTTP/1.1 200 OK\r\n\x00\x01: x\r\n\r\n",
}


@pytest.mark.parametrize("said", NONSENSE.values(), ids=NONSENSE.keys())
async def test_nonsense_is_a_failed_attempt(theirs: Receiver, said: bytes) -> None:
    theirs.answers = [said]
    async with courier(timeout_s=2) as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert answer.status_code is None
    assert answer.error


async def test_what_a_receiver_says_can_be_kept_and_shown(theirs: Receiver) -> None:
    theirs.answers = [
        b"HTTP/1.1 500 No\r\nRetry-After: 120\r\nContent-Length: 14\r\n"
        b"Content-Encoding: gzip\r\n\r\n\x00\x1b[31mbad\xff\r\nx"
    ]
    async with courier() as ours:
        answer = await _carry(ours, f"http://{NAMED}:{theirs.port}/")

    assert (answer.status_code, answer.retry_after_s) == (500, 120)
    assert answer.response == "  [31mbad\ufffd  x"


async def test_who_is_not_there_is_a_failed_attempt() -> None:
    async with receiver() as gone:
        port = gone.port
    async with courier() as ours:
        absent = await _carry(ours, f"http://{NAMED}:{port}/")
    async with courier(Names([])) as ours:
        unknown = await _carry(ours, f"http://{NAMED}:{port}/")

    assert (absent.error or "").startswith("ConnectError")
    assert unknown.error == "the name cannot be looked up"


async def test_a_url_that_is_not_allowed_any_more_is_refused_at_the_attempt() -> None:
    async with courier(policy=Policy()) as ours:
        answer = await _carry(ours, f"http://{NAMED}/")

    assert (answer.error or "").startswith("refused: ")


@pytest.mark.parametrize(
    ("certified", "welcome"), [(NAMED, True), ("other.example", False)], ids=["its", "another"]
)
async def test_the_certificate_must_be_the_names(
    tmp_path: Path, certified: str, welcome: bool
) -> None:
    server, trust = certified_for(tmp_path, certified)
    async with receiver(server) as theirs, courier(trust=trust) as ours:
        answer = await _carry(ours, f"https://{NAMED}:{theirs.port}/")
        heard = len(theirs.heard)

    assert (answer.status_code == 200) is welcome
    assert heard == welcome


async def test_a_courier_is_made_for_the_first_delivery_and_stays() -> None:
    made = list[FakeCourier]()

    def make() -> FakeCourier:
        made.append(FakeCourier())
        return made[-1]

    one = CourierWhenNeeded(make)
    assert not made

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(one.carry("https://hooks.example/", {}, b"{}"))

    assert [len(courier.carried) for courier in made] == [3]
