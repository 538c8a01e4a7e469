"""What lies there and what is named are compared in one order, without keeping either."""

import json
import os
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from deploy.verify.heads import Head, kept_heads
from deploy.verify.history import History
from deploy.verify.leaks import _pieces, _said
from deploy.verify.machine import excess
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


DIGEST = "ab" * 32


@pytest.mark.parametrize(
    "text",
    [
        f"7\t{DIGEST}\n",
        f'{{"seq":7}}\n{{"head":{{"seq":7,"hash":"{DIGEST}"}}}}\n',
    ],
)
def test_a_head_that_was_kept_is_read_from_an_export_and_from_itself(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / "kept").write_text(text)

    assert kept_heads([f"review={tmp_path / 'kept'}"]) == {
        "review": Head(7, bytes.fromhex(DIGEST))
    }


@pytest.mark.parametrize("text", ["", "7\n", "7\tno digest\n", '{"seq":7,"hash":""}\n'])
def test_what_ends_without_a_head_vouches_for_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(text)

    with pytest.raises(CannotJudge, match="does not end with the head"):
        kept_heads([f"review={tmp_path / 'kept'}"])


@pytest.mark.parametrize("given", ["kept", "review=", "nobody=kept"])
def test_whose_head_it_is_has_to_be_said(given: str) -> None:
    with pytest.raises(CannotJudge, match="SERVICE=FILE"):
        kept_heads([given])


def test_what_a_process_held_once_is_held_against_it() -> None:
    told = Path("/proc/self/status").read_text().partition("VmRSS:")[2]
    now = int(told.split()[0]) * 1024
    # The kernel counts late: up to 64 pages of 2 MiB may be missing from what it tells.
    pages = b"x" * (256 << 20)
    del pages

    assert "resident" in str(excess(os.getpid(), now + (64 << 20)))
    assert excess(os.getpid(), now + (64 << 30)) == ""


def test_a_secret_that_lies_across_two_pieces_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.verify.leaks.PIECE_BYTES", 10)
    path = tmp_path / "log"
    path.write_bytes(b"0123456sesame-open-7890")

    found = [one for piece in _pieces(path, 11) for one in _said(piece, (b"sesame-open",))]

    assert found == [1]
