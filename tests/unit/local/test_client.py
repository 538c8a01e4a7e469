"""The client of the public API, against a small server that answers as it is told."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from deploy.local import client as client_module
from deploy.local.client import Away, Client, Refused

Answer = tuple[int, dict[str, Any]]


class FakeApi:
    """Gives the prepared answers in turn, the last one for ever; keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, str]]] = []

    def answer(self, path: str, headers: dict[str, str]) -> Answer:
        self.asked.append((path, headers))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def api() -> FakeApi:
    return FakeApi((202, {"document_id": "d1"}))


@pytest.fixture
def client(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body = api.answer(self.path, dict(self.headers))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            return

    monkeypatch.setattr(client_module, "PAUSE_S", 0.01)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield Client(f"http://127.0.0.1:{server.server_port}", "paperline_k_s")
        server.shutdown()


@pytest.fixture
def invoice(tmp_path: Path) -> Path:
    path = tmp_path / "Rechnung März.pdf"
    path.write_bytes(b"%PDF")
    return path


def test_an_upload_says_what_it_is(client: Client, api: FakeApi, invoice: Path) -> None:
    assert client.submit(invoice, priority="urgent") == "d1"

    [(path, headers)] = api.asked
    assert path == "/v1/documents?priority=urgent"
    assert headers["Content-Type"] == "application/pdf"
    assert headers["X-Filename"] == "Rechnung%20M%C3%A4rz.pdf"
    assert headers["Authorization"] == "Bearer paperline_k_s"


def test_a_busy_api_is_asked_again_with_the_same_idempotency_key(
    client: Client, api: FakeApi, invoice: Path
) -> None:
    api.answers.insert(0, (503, {"detail": "starting"}))
    api.answers.insert(0, (429, {"detail": "slow down"}))

    assert client.submit(invoice, priority="normal") == "d1"

    assert len(api.asked) == 3
    assert len({headers["Idempotency-Key"] for _, headers in api.asked}) == 1


def test_a_refusal_is_final_and_says_why(client: Client, api: FakeApi, invoice: Path) -> None:
    api.answers = [(415, {"detail": "not an invoice"})]

    with pytest.raises(Refused, match=r"not an invoice \(HTTP 415\)"):
        client.submit(invoice, priority="normal")

    assert len(api.asked) == 1


def test_nobody_there_says_how_to_start_the_stack() -> None:
    with pytest.raises(Away, match="paperline up"):
        Client("http://127.0.0.1:1", "key").documents(limit=1)
