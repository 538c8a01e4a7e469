"""The folder of a watch: what counts as a document that is whole, and what is never lost."""

import os
import time
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.inbox import JOURNAL, Inbox, Sight, key_of, sight_of

HERE = "http://127.0.0.1:8080"


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    return Inbox(tmp_path)


def drop(inbox: Inbox, name: str, data: bytes = b"%PDF-1.7") -> Sight:
    (inbox.root / name).write_bytes(data)
    sight = sight_of(inbox.root / name)
    assert sight is not None
    return sight


def test_a_file_is_whole_when_it_has_not_changed_for_a_while(inbox: Inbox) -> None:
    drop(inbox, "a.pdf", b"%PDF")

    assert [len(part) for part in inbox.look(0, settle_s=2)] == [0, 1]
    assert [len(part) for part in inbox.look(1, settle_s=2)] == [0, 1]
    grown = drop(inbox, "a.pdf", b"%PDF-1.7")
    assert [len(part) for part in inbox.look(2, settle_s=2)] == [0, 1]
    assert inbox.look(4, settle_s=2) == ([grown], [])


def test_a_file_that_was_written_to_in_place_is_not_whole_yet(inbox: Inbox) -> None:
    sight = drop(inbox, "a.pdf")
    inbox.look(0, settle_s=2)

    os.utime(sight.path, ns=(sight.mtime_ns, sight.mtime_ns + 1))

    assert inbox.look(2, settle_s=2)[0] == []


@pytest.mark.parametrize(
    "name",
    [".a.pdf", "~$a.pdf", "a.pdf~", "a.pdf.part", "a.pdf.CRDOWNLOAD", "a.tmp", "notes.txt"],
)
def test_what_is_hidden_unfinished_or_no_document_is_left_alone(
    inbox: Inbox, name: str
) -> None:
    drop(inbox, name)

    assert inbox.look(0, settle_s=0) == ([], [])


def test_only_what_could_be_meant_is_mentioned_as_left_alone(inbox: Inbox) -> None:
    for name in ("notes.txt", ".hidden", "a.pdf.part", "b.pdf"):
        drop(inbox, name)

    assert inbox.strangers() == ["notes.txt"]


def test_folders_and_links_are_no_documents(inbox: Inbox, tmp_path: Path) -> None:
    target = drop(inbox, "real.pdf")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "link.pdf").symlink_to(target.path)
    (tmp_path / "nowhere.pdf").symlink_to(tmp_path / "gone")

    assert inbox.look(0, settle_s=0) == ([target], [])


def test_nothing_is_ever_overwritten(inbox: Inbox) -> None:
    with inbox.held():
        first = inbox.move(drop(inbox, "a.pdf", b"1"), "failed", "why one")
        second = inbox.move(drop(inbox, "a.pdf", b"2"), "failed", "why two")
        third = inbox.move(drop(inbox, "a (2).pdf", b"3"), "failed")

    names = ["a.pdf", "a (2).pdf", "a (2) (2).pdf"]
    assert [path.name for path in (first, second, third)] == names
    assert [path.read_bytes() for path in (first, second, third)] == [b"1", b"2", b"3"]
    assert (first.parent / "a.pdf.txt").read_text() == "why one"
    assert (first.parent / "a (2).pdf.txt").read_text() == "why two"


def test_a_file_that_went_away_leaves_no_name_behind(inbox: Inbox) -> None:
    sight = drop(inbox, "a.pdf")
    sight.path.unlink()

    with inbox.held(), pytest.raises(FileNotFoundError):
        inbox.move(sight, "done")

    assert not list((inbox.root / "done").iterdir())


def test_what_was_handed_in_is_known_to_the_next_watch(inbox: Inbox) -> None:
    sight = drop(inbox, "a.pdf")

    inbox.note(sight, HERE, "one")

    again = Inbox(inbox.root)
    assert again.handed_in(sight, HERE) == "one"
    assert again.handed_in(sight, "http://elsewhere") is None
    assert again.handed_in(drop(inbox, "a.pdf", b"another"), HERE) is None


def test_what_has_gone_is_forgotten(inbox: Inbox) -> None:
    gone, moved, kept = (drop(inbox, f"{name}.pdf") for name in ("gone", "moved", "kept"))
    for sight in (gone, moved, kept):
        inbox.note(sight, HERE, sight.path.name)
    gone.path.unlink()

    with Inbox(inbox.root).held():
        inbox.move(moved, "done")

    assert "kept.pdf" in (inbox.root / JOURNAL).read_text()
    assert inbox.handed_in(kept, HERE) == "kept.pdf"
    assert inbox.handed_in(gone, HERE) is inbox.handed_in(moved, HERE) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a.pdf": 7}', '{"a.pdf": {"id": 1}}'])
def test_a_torn_journal_is_an_empty_one(inbox: Inbox, text: str) -> None:
    (inbox.root / JOURNAL).write_text(text)

    assert inbox.handed_in(drop(inbox, "a.pdf"), HERE) is None


def test_two_watches_do_not_share_a_folder(inbox: Inbox) -> None:
    with inbox.held(), pytest.raises(StackError, match="already"), Inbox(inbox.root).held():
        pass

    with Inbox(inbox.root).held():
        pass


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="cannot be watched"), Inbox(tmp_path / "no").held():
        pass


def test_a_key_stands_for_content_name_time_and_priority(inbox: Inbox) -> None:
    first = drop(inbox, "a.pdf")
    same = key_of(first, "normal")
    os.utime(first.path, ns=(0, first.mtime_ns))
    later = Sight(first.path, first.size, time.time_ns())

    assert key_of(first, "normal") == same
    assert key_of(first, "urgent") != same
    assert key_of(later, "normal") != same
    assert key_of(drop(inbox, "b.pdf"), "normal") != same
    changed = Sight(drop(inbox, "a.pdf", b"other").path, first.size, first.mtime_ns)
    assert key_of(changed, "normal") != same
    assert len(same) <= 200


def test_a_name_cannot_steer_a_terminal(inbox: Inbox) -> None:
    raw = os.fsencode(inbox.root) + b"/a\x1b[2J\xff.pdf"
    Path(os.fsdecode(raw)).write_bytes(b"%PDF")

    [sight] = inbox.look(0, settle_s=0)[0]

    assert sight.name == "a?[2J?.pdf"
    assert key_of(sight, "normal")
