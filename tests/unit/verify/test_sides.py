"""What lies there and what is named are compared in one order, without keeping either."""

import json
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from deploy.verify.history import History
from deploy.verify.leaks import _pieces, _said
from deploy.verify.objects import Folder
from deploy.verify.promises import CannotJudge
from deploy.verify.stored import _Listing

KEYS = ("a-b/x", "a.b", "a/b/c", "a/b-c", "a/bc", "ab", "é")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    for key in KEYS:
        path = tmp_path / "data" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(key.encode())
    (tmp_path / "data" / ".being-written").write_bytes(b"x")
    return Folder(tmp_path)


def test_a_folder_is_listed_by_the_bytes_of_its_keys(folder: Folder) -> None:
    found = [one.key for one in folder.list("data/")]

    assert found == sorted((f"data/{key}" for key in KEYS), key=str.encode)


def test_what_is_missing_and_what_nobody_names_is_seen_in_one_pass(folder: Folder) -> None:
    listing = _Listing(folder.list("data/"))
    wanted = sorted(["data/a.b", "data/a/b/c", "data/a/nowhere", "data/ab"], key=str.encode)

    found = {key: listing.up_to(key) for key in wanted}

    assert [key for key, one in found.items() if one is None] == ["data/a/nowhere"]
    # `a-b/x`, `a/b-c` and `a/bc`; what comes behind the last one is not asked for.
    assert listing.passed == 3


def test_a_content_that_several_name_is_found_each_time(folder: Folder) -> None:
    listing = _Listing(folder.list("data/"))

    assert listing.up_to("data/a.b") == listing.up_to("data/a.b") is not None


def test_the_last_line_of_a_killed_client_is_left_out(tmp_path: Path) -> None:
    whole = {"kind": "told", "status": 202, "document_id": str(uuid4())}
    path = tmp_path / "history"
    path.write_text(json.dumps(whole) + "\n" + json.dumps(whole)[:20])

    [[promise]] = History(path).promises()

    assert promise.document_id == UUID(str(whole["document_id"]))


def test_a_history_that_is_no_history_cannot_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("no\n")

    with pytest.raises(CannotJudge, match="line 1"):
        list(History(path).promises())


def test_a_secret_that_lies_across_two_pieces_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.verify.leaks.PIECE_BYTES", 10)
    path = tmp_path / "log"
    path.write_bytes(b"0123456sesame-open-7890")

    found = [one for piece in _pieces(path, 11) for one in _said(piece, (b"sesame-open",))]

    assert found == [1]
