"""Which files are handed in, and which endings the demo accepts."""

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from deploy.local import demo, reading
from deploy.local.errors import StackError
from deploy.local.reading import Document, files_in
from shared.client import Client, Status


def test_a_folder_stands_for_every_document_below_it(tmp_path: Path) -> None:
    for name in ("b.pdf", "deep/a.JPG", "make.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert files_in([tmp_path]) == [tmp_path / "b.pdf", tmp_path / "deep" / "a.JPG"]


def test_a_file_that_was_named_is_handed_in_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "scan").touch()

    assert files_in([tmp_path / "scan"]) == [tmp_path / "scan"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"gone\.pdf"):
        files_in([tmp_path / "gone.pdf"])


@pytest.mark.parametrize(
    ("folder", "status", "expected"),
    [
        (demo.SAMPLES, "completed", True),
        (demo.SAMPLES, "duplicate", True),
        (demo.SAMPLES, "failed", False),
        (demo.SAMPLES, "processing", False),
        (demo.UNREADABLE, "failed", True),
        (demo.UNREADABLE, "completed", False),
    ],
)
def test_the_demo_expects_an_unreadable_sample_to_fail_and_no_other(
    folder: Path, status: str, expected: bool
) -> None:
    document = Document(folder / "sample.pdf", Status(uuid4(), status))

    assert demo.as_expected(document) is expected


def test_a_document_has_ended_when_it_was_refused_or_its_status_is_final() -> None:
    file = Path("a.pdf")

    assert Document(file, refusal="no").ended
    assert Document(file, Status(uuid4(), "failed", error_message="why")).trouble == "why"
    assert not Document(file, Status(uuid4(), "processing")).ended
    assert Document(file).state == "queued"


class FakeApi(httpx.BaseTransport):
    """Takes documents and batches in, and has read every document the second time it looks."""

    def __init__(self, deleted: Sequence[str] = ()) -> None:
        """`deleted`: what is asked of a document, `status` or `result`, after that happened."""
        self.deleted = deleted
        self.asked: list[str] = []
        self.looks: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(f"{request.method} {path}")
        if path == "/v1/batches":
            return httpx.Response(202, json=_batch())
        if request.method == "POST":
            named = request.headers["X-Filename"]
            if named == "bad.pdf":
                return httpx.Response(422, json={"detail": "It is empty."})
            return httpx.Response(202, json=_accepted())
        document_id = path.split("/")[3]
        if path.endswith(tuple(self.deleted)):
            return httpx.Response(410, json={"detail": "The document was deleted."})
        if path.endswith("/result"):
            fields = {"total": {"value": "12.30", "confidence": 0.9}}
            return httpx.Response(200, json={"document_id": document_id, "fields": fields})
        self.looks.append(document_id)
        status = "completed" if self.looks.count(document_id) > 1 else "processing"
        return httpx.Response(200, json={"document_id": document_id, "status": status})


def _accepted() -> dict[str, object]:
    return {"document_id": str(uuid4()), "status": "queued"}


def _batch() -> dict[str, object]:
    return {
        "batch_id": str(uuid4()),
        "status": "processing",
        "items": [{"position": 1, "filename": "b.pdf", **_accepted()}],
        "rejected": [{"position": 0, "filename": "a.txt", "reason": "unsupported_type"}],
    }


def test_what_is_handed_in_is_watched_to_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("one.pdf", "bad.pdf", "many.zip", "gone.pdf")]
    for file in files[:-1]:
        file.write_bytes(b"%PDF")
    monkeypatch.setattr(reading, "POLL_S", 0.01)

    with Client("http://127.0.0.1:1", "k", through=FakeApi()) as client:
        documents = reading.submit(client, files)
        reading.watch(client, documents, patience_s=10)
    reading.show(documents)

    assert [(one.file.name, one.state) for one in documents] == [
        ("one.pdf", "completed"),
        ("bad.pdf", "refused"),
        ("a.txt", "refused"),
        ("b.pdf", "completed"),
        ("gone.pdf", "refused"),
    ]
    assert [one.value("total") for one in documents] == ["12.30", "", "", "12.30", ""]
    told = capsys.readouterr().out
    assert "It is empty. (HTTP 422)" in told
    assert "gone.pdf: refused It cannot be read: No such file or directory" in told


@pytest.mark.parametrize("asked", ["status", "result"])
def test_what_was_deleted_meanwhile_does_not_spoil_the_table(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "POLL_S", 0.01)
    document = Document(tmp_path / "one.pdf", Status(uuid4(), "queued"))

    with Client("http://127.0.0.1:1", "k", through=FakeApi(deleted=[asked])) as client:
        reading.watch(client, [document], patience_s=10)
    reading.show([document])

    assert (document.state, document.was_read) == ("refused", False)
    assert document.trouble == "The document was deleted. (HTTP 410)"
