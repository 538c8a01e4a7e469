"""The client against a door that is busy, away or strange, and answers as it is told."""

import tracemalloc
from collections.abc import Callable, Iterator
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from shared.client import Away, Client, ClientError, Refused
from tests import builders

ACCEPTED = {"document_id": "01a1ef7d-ffa2-7557-91b5-16d65c8f7f66", "status": "queued"}
Told = httpx.Response | Exception


class FakeDoor(httpx.BaseTransport):
    """Gives the prepared answers in turn, the last one for ever; keeps what it was asked."""

    def __init__(self, *told: Told) -> None:
        self.told = list(told)
        self.asked: list[httpx.Request] = []
        self.bodies: list[bytes] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        self.bodies.append(b"".join(request.stream))  # type: ignore[arg-type]
        told = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(told, Exception):
            raise told
        return told


class World:
    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.door = FakeDoor(httpx.Response(202, json=ACCEPTED))
        self.client = Client(
            "http://127.0.0.1:1",
            "paperline_k_s",
            patience_s=60,
            sleep=self.pauses.append,
            through=self.door,
        )

    def answers(self, *told: Told) -> None:
        self.door.told = [*told, httpx.Response(202, json=ACCEPTED)]

    def keys(self) -> set[str]:
        return {request.headers["Idempotency-Key"] for request in self.door.asked}


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    with world.client:
        yield world


def busy(after: str = "", status: int = 503) -> httpx.Response:
    return httpx.Response(status, json={}, headers={"Retry-After": after} if after else {})


def test_an_upload_says_what_it_is(world: World, tmp_path: Path) -> None:
    invoice = tmp_path / "Rechnung März.pdf"
    invoice.write_bytes(builders.PDF)

    world.client.submit(invoice, password="50% ü")

    [request] = world.door.asked
    assert request.headers["Content-Type"] == "application/pdf"
    assert request.headers["Content-Length"] == str(len(builders.PDF))
    assert request.headers["X-Filename"] == "Rechnung%20M%C3%A4rz.pdf"
    assert request.headers["X-Document-Password"] == "50%25%20%C3%BC"
    assert request.headers["Authorization"] == "Bearer paperline_k_s"
    assert "password" not in str(request.url)


@pytest.mark.parametrize(
    "trouble",
    [
        busy(),
        busy(status=429),
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("cut off"),
    ],
    ids=["unavailable", "too many", "nobody", "no answer", "half an answer"],
)
def test_an_upload_is_sent_again_whole_and_under_the_same_key(
    world: World, trouble: Told
) -> None:
    world.answers(trouble, trouble)

    world.client.submit(builders.PDF)

    assert world.door.bodies == [builders.PDF] * 3
    assert len(world.keys()) == 1
    assert len(world.pauses) == 2


def test_who_is_told_when_to_come_back_comes_back_then(world: World) -> None:
    world.answers(busy("7"), busy("2", status=429))

    world.client.submit(builders.PDF)

    assert world.pauses == [7, 2]


def test_without_being_told_the_pauses_grow_and_differ(world: World) -> None:
    world.answers(*(busy() for _ in range(8)))

    world.client.submit(builders.PDF)

    assert world.pauses[0] <= 0.25
    assert world.pauses[4] > world.pauses[1]
    assert max(world.pauses) <= 8


@pytest.mark.parametrize("after", ["soon", "-1", format_datetime(builders.ACCEPTED_AT)])
def test_a_time_that_is_no_number_is_not_waited_for(world: World, after: str) -> None:
    world.answers(busy(after))

    world.client.submit(builders.PDF)

    assert world.pauses[0] <= 0.25


def test_who_is_told_to_come_back_tomorrow_gives_up_now(world: World) -> None:
    world.answers(
        httpx.Response(
            429,
            json={"type": "/problems/quota-exceeded", "detail": "used up"},
            headers={"Retry-After": "40000"},
        )
    )

    with pytest.raises(Refused, match="used up") as refused:
        world.client.submit(builders.PDF)

    assert (refused.value.reason, refused.value.may_pass) == ("quota_exceeded", True)
    assert not world.pauses


def test_a_refusal_is_final(world: World) -> None:
    world.answers(httpx.Response(415, json={"detail": "not an invoice"}))

    with pytest.raises(Refused, match=r"not an invoice \(HTTP 415\)"):
        world.client.submit(builders.PDF)

    assert len(world.door.asked) == 1


def test_what_must_not_happen_twice_is_not_sent_twice(world: World) -> None:
    world.answers(httpx.ReadTimeout("late"))

    with pytest.raises(Away):
        world.client.reprocess(builders.ACCEPTED_AT)  # type: ignore[arg-type]

    assert len(world.door.asked) == 1


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (httpx.Response(502, html="<h1>Bad gateway</h1>"), "Bad gateway"),
        (httpx.Response(500, content=b"\xff\xfe"), "HTTP 500"),
        (httpx.Response(500, json=["?"]), "HTTP 500"),
        (httpx.Response(599, json={}), "unknown"),
    ],
)
def test_what_stands_between_may_answer_in_its_own_words(
    world: World, answer: httpx.Response, sentence: str
) -> None:
    world.answers(answer)

    with pytest.raises(Refused, match=sentence) as refused:
        world.client.page()

    assert refused.value.may_pass


def test_nobody_follows_the_api_to_another_address(world: World) -> None:
    elsewhere = "http://elsewhere.example/v1/documents?cursor=x"
    world.answers(
        httpx.Response(307, headers={"Location": elsewhere}),
        httpx.Response(200, json={"items": [], "next": elsewhere}),
    )

    with pytest.raises(Refused, match="does not live there"):
        world.client.page()
    with pytest.raises(ClientError, match="not a path"):
        list(world.client.documents())

    assert {request.url.host for request in world.door.asked} == {"127.0.0.1"}


def test_a_large_file_is_never_whole_in_memory(tmp_path: Path) -> None:
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.truncate(64 << 20)
    seen = 0

    class Swallow(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            nonlocal seen
            for piece in request.stream:  # type: ignore[union-attr]
                seen += len(piece)
            return httpx.Response(202, json=ACCEPTED)

    with Client("http://127.0.0.1:1", "k", through=Swallow()) as client:
        peak = _peak_of(lambda: client.submit(large))

    assert seen == 64 << 20
    assert peak < 4 << 20


def _peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("address", ["", "127.0.0.1:8080", "ftp://there", "http://"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(ClientError, match="no address"):
        Client(address, "k")


def test_a_key_is_in_no_text_of_the_client(world: World) -> None:
    world.answers(httpx.ConnectError("refused"))
    world.client._transport._patience_s = 0

    with pytest.raises(Away) as away:
        world.client.page()

    assert "paperline_k_s" not in repr((world.client, away.value, vars(away.value)))
