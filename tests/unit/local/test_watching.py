"""A watched folder, with an API that answers as it is told."""

import threading
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from deploy.local import watching
from deploy.local.errors import StackError
from deploy.local.inbox import JOURNAL, Inbox
from deploy.local.watching import Orders, Stopped, Watch
from shared.client import Accepted, Away, Batch, Member, Refusal, Refused, Status, Wishes

ONCE = Orders(once=True, settle_s=0)


class FakeDoor:
    """Ends every document as its name says, unless it is told otherwise."""

    def __init__(self) -> None:
        self.address = "http://127.0.0.1:8080"
        self.names: dict[UUID, str] = {}
        self.by_key: dict[str, UUID] = {}
        self.priorities: list[str | None] = []
        self.trouble: Callable[[str], None] = lambda _: None
        self.at_the_end: Callable[[str], None] = lambda _: None
        self.batch = Batch(uuid4(), "completed", 100, {}, [], [])

    def submit(self, given: Path, *, wishes: Wishes, idempotency_key: str | None) -> Accepted:
        self.trouble(given.name)
        self.priorities.append(wishes.priority)
        document_id = self.by_key.setdefault(str(idempotency_key), uuid4())
        self.names[document_id] = given.name
        return Accepted(document_id, "queued")

    def submit_archive(
        self, given: Path, *, wishes: Wishes, idempotency_key: str | None
    ) -> Batch:
        self.trouble(given.name)
        return self.batch

    def wait(self, document_id: UUID) -> Status:
        if document_id not in self.names:
            raise Refused(404, "no_such_document")
        name = self.names[document_id]
        self.at_the_end(name)
        if name.startswith("bad"):
            return Status(document_id, "failed", error_message="encrypted: needs a password")
        return Status(document_id, "completed")

    def wait_batch(self, batch_id: UUID) -> Batch:
        assert batch_id == self.batch.batch_id
        return self.batch


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.door = FakeDoor()
        self.stop = threading.Event()

    def drop(self, *names: str) -> None:
        for name in names:
            (self.folder / name).write_bytes(b"%PDF " + name.encode())

    def watch(self, orders: Orders = ONCE) -> int:
        return Watch(Inbox(self.folder), self.door, orders, self.stop).run()

    def killed(self, _name: str) -> None:
        self.stop.set()
        raise Stopped

    def there(self, folder: str = "") -> set[str]:
        found = (self.folder / folder).iterdir()
        return {path.name for path in found if path.is_file() and path.name[0] != "."}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(watching, "LOOK_S", 0.01)
    return World(tmp_path)


def refuse(refusal: Exception) -> Callable[[str], None]:
    def trouble(_name: str) -> None:
        raise refusal

    return trouble


def test_each_file_goes_where_its_end_belongs(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.drop("good.pdf", "bad.pdf", "notes.txt")

    assert world.watch() == 1

    assert world.there() == {"notes.txt"}
    assert world.there("done") == {"good.pdf"}
    assert world.there("failed") == {"bad.pdf", "bad.pdf.txt"}
    told = (world.folder / "failed" / "bad.pdf.txt").read_text()
    assert told.startswith("bad.pdf: failed\n\nencrypted: needs a password\nHand it in with")
    lines = capsys.readouterr().out
    assert "good.pdf: completed → done/good.pdf" in lines
    assert "bad.pdf: failed (encrypted: needs a password) → failed/bad.pdf" in lines
    assert lines.count("notes.txt: left alone") == 1


def test_an_empty_folder_is_nothing_to_complain_of(world: World) -> None:
    assert world.watch() == 0


def test_the_priority_is_that_of_the_watch(world: World) -> None:
    world.drop("a.pdf")

    world.watch(Orders(once=True, priority="bulk", settle_s=0))

    assert world.door.priorities == ["bulk"]


def test_what_the_api_refuses_lies_beside_its_reason(world: World) -> None:
    world.drop("a.pdf")
    world.door.trouble = refuse(Refused(422, "empty", "The document has no bytes."))

    assert world.watch() == 1

    told = (world.folder / "failed" / "a.pdf.txt").read_text()
    assert "The document has no bytes. (HTTP 422)" in told


BUSY, QUOTA, BUG = (Refused(status, "no") for status in (503, 429, 500))
NOT_OURS = PermissionError("somebody else's")


@pytest.mark.parametrize("trouble", [Away("nobody"), BUSY, QUOTA, BUG, NOT_OURS], ids=repr)
def test_trouble_that_is_not_of_the_file_leaves_it_where_it_is(
    world: World, trouble: Exception
) -> None:
    world.drop("a.pdf")
    world.door.trouble = refuse(trouble)

    assert world.watch() == 1

    assert world.there() == {"a.pdf"}
    assert world.there("failed") == set()


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_opens_nothing_ends_the_watch_and_moves_nothing(
    world: World, status: int
) -> None:
    world.drop("a.pdf", "b.pdf")
    world.door.trouble = refuse(Refused(status, "no", "This key may not do that."))

    with pytest.raises(StackError, match="This key may not"):
        world.watch(Orders(settle_s=0))

    assert world.there() == {"a.pdf", "b.pdf"}


def test_a_watch_that_was_killed_goes_on_with_the_same_document(world: World) -> None:
    world.drop("a.pdf")
    world.door.at_the_end = world.killed
    world.watch(Orders(once=True, settle_s=0))
    assert world.there() == {"a.pdf"}

    world.door.at_the_end = lambda _: None
    world.door.trouble = refuse(AssertionError("it was handed in before"))
    world.stop = threading.Event()
    world.watch()

    assert world.there("done") == {"a.pdf"}
    assert len(world.door.names) == 1


def test_a_watch_killed_before_it_noted_the_document_asks_under_the_same_key(
    world: World,
) -> None:
    world.drop("a.pdf")
    world.door.at_the_end = world.killed
    world.watch()
    (world.folder / JOURNAL).unlink()

    world.door.at_the_end = lambda _: None
    world.stop = threading.Event()
    world.watch()

    assert world.there("done") == {"a.pdf"}
    assert len(world.door.by_key) == 1


def test_a_document_that_is_unknown_over_there_is_handed_in_anew(world: World) -> None:
    world.drop("a.pdf")
    world.door.at_the_end = world.killed
    world.watch()
    world.door = FakeDoor()
    world.stop = threading.Event()

    assert world.watch() == 0

    assert world.there("done") == {"a.pdf"}


def test_a_file_that_changed_meanwhile_is_handed_in_anew(world: World) -> None:
    world.drop("a.pdf")
    path = world.folder / "a.pdf"

    def once(_name: str) -> None:
        world.door.at_the_end = lambda _: None
        path.write_bytes(b"%PDF and more")

    world.door.at_the_end = once

    assert world.watch() == 0

    assert len(world.door.by_key) == 2
    assert (world.folder / "done" / "a.pdf").read_bytes() == b"%PDF and more"


def test_a_file_that_goes_away_meanwhile_is_nobodys_failure(world: World) -> None:
    world.drop("a.pdf")
    world.door.at_the_end = lambda _: (world.folder / "a.pdf").unlink()

    assert world.watch() == 0

    assert world.there("done") == set()


def test_never_more_are_under_way_than_were_asked_for(world: World) -> None:
    world.drop(*(f"{number}.pdf" for number in range(9)))
    under_way, most, guard = 0, 0, threading.Lock()
    full = threading.Barrier(3, timeout=10)

    def count(_name: str) -> None:
        nonlocal under_way, most
        with guard:
            under_way += 1
            most = max(most, under_way)
        full.wait()
        with guard:
            under_way -= 1

    world.door.at_the_end = count

    assert world.watch(Orders(once=True, settle_s=0, at_once=3)) == 0

    assert most == 3
    assert len(world.there("done")) == 9


def test_a_stop_ends_the_watch_and_leaves_what_is_under_way(world: World) -> None:
    world.drop("a.pdf")

    world.door.at_the_end = world.killed

    assert world.watch(Orders(settle_s=0)) == 0

    assert world.there() == {"a.pdf"}
    assert "a.pdf" in (world.folder / JOURNAL).read_text()


def test_a_bug_of_ours_does_not_look_like_a_quiet_folder(world: World) -> None:
    world.drop("a.pdf")
    world.door.at_the_end = refuse(KeyError("a bug"))

    with pytest.raises(KeyError):
        world.watch(Orders(settle_s=0))


def test_an_archive_is_done_when_all_of_it_was_read(world: World) -> None:
    world.drop("good.zip")
    world.door.batch = _batch(Member(0, uuid4(), "completed", "a.pdf"))

    assert world.watch() == 0

    assert world.there("done") == {"good.zip"}


def test_an_archive_of_which_some_was_not_read_names_each_of_these(world: World) -> None:
    world.drop("mixed.zip")
    world.door.batch = _batch(
        Member(0, uuid4(), "completed", "a.pdf"),
        Member(1, uuid4(), "failed", "b.pdf", "no_text_layer: a scan"),
        refused=Refusal(2, "notes.txt", "unsupported_type", "PDF and images are read."),
    )

    assert world.watch() == 1

    told = (world.folder / "failed" / "mixed.zip.txt").read_text()
    assert "b.pdf: failed no_text_layer: a scan" in told
    assert "notes.txt: PDF and images are read." in told
    assert "a.pdf: " not in told


def _batch(*members: Member, refused: Refusal | None = None) -> Batch:
    return Batch(uuid4(), "completed", 100, {}, members, [refused] if refused else [])
