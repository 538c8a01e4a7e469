"""Documents on their way: handing files in, watching them end, and the table of what was read.

A terminal gets a moving bar; a file or a pipe gets plain lines that stay readable in a log.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deploy.local.errors import StackError
from deploy.local.report import say
from shared.client import Client, Refused, Result, Status, Wishes

UPLOADS_AT_ONCE = 4
PLAIN = Wishes()
POLL_S = 0.3
WIDTH_OF_A_LOG = 150
DOCUMENT_SUFFIXES = frozenset(
    (".pdf", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".xml")
)
ARCHIVE_SUFFIX = ".zip"
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


@dataclass(slots=True)
class Document:
    """A file, or a member of one, and what has become of it."""

    file: Path
    status: Status | None = None
    result: Result | None = None
    refusal: str = ""

    @property
    def state(self) -> str:
        return "refused" if self.refusal else self.status.status if self.status else "queued"

    @property
    def ended(self) -> bool:
        return bool(self.refusal) or (self.status is not None and self.status.ended)

    @property
    def was_read(self) -> bool:
        return not self.refusal and self.status is not None and self.status.was_read

    def value(self, name: str) -> str:
        return self.result.value(name) if self.result else ""

    @property
    def trouble(self) -> str:
        return self.refusal or (self.status and self.status.error_message) or ""


def files_in(paths: Sequence[Path]) -> list[Path]:
    """The files themselves, whatever they are called, and every document below a folder."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise StackError(f"no such file: {', '.join(missing)}")
    found = [file for path in paths for file in (_below(path) if path.is_dir() else [path])]
    if not found:
        raise StackError("there is no document in there")
    return found


def _below(folder: Path) -> list[Path]:
    # A folder of invoices holds other things too; a file that was named is always handed in.
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if path.suffix.lower() in DOCUMENT_SUFFIXES)


def submit(
    client: Client,
    files: Sequence[Path],
    *,
    wishes: Wishes = PLAIN,
    password: str | None = None,
) -> list[Document]:
    def hand_in(file: Path) -> list[Document]:
        try:
            if file.suffix.lower() == ARCHIVE_SUFFIX:
                return _members(client, file, wishes)
            accepted = client.submit(file, wishes=wishes, password=password)
        except Refused as refusal:
            return [Document(file, refusal=str(refusal))]
        except OSError as error:
            return [Document(file, refusal=f"It cannot be read: {error.strerror or error}")]
        return [Document(file, Status(accepted.document_id, accepted.status))]

    with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool, _bar("handing in", len(files)) as bar:
        documents = []
        for file, handed_in in zip(files, pool.map(hand_in, files), strict=True):
            documents.append(handed_in)
            bar.advance(file.name, handed_in[0].state)
    return [*chain.from_iterable(documents)]


def _members(client: Client, archive: Path, wishes: Wishes) -> list[Document]:
    """Unpacked over there, where every member is judged as a document of its own."""
    batch = client.submit_archive(archive, wishes=wishes)
    members = {
        one.position: Document(archive / one.filename, Status(one.document_id, one.status))
        for one in batch.items
    } | {
        one.position: Document(archive / one.filename, refusal=one.detail or one.reason)
        for one in batch.rejected
    }
    return [members[position] for position in sorted(members)]


def watch(client: Client, documents: Sequence[Document], *, patience_s: float) -> None:
    """Until all have ended or patience has; then what was read is fetched."""
    deadline = time.monotonic() + patience_s
    waiting = [document for document in documents if not document.ended]
    with _bar("reading", len(waiting)) as bar:
        while waiting and time.monotonic() < deadline:
            for document in waiting:
                _look(client, document)
                if document.ended:
                    bar.advance(document.file.name, document.state)
            waiting = [document for document in waiting if not document.ended]
            time.sleep(POLL_S if waiting else 0)
    for document in documents:
        if document.was_read:
            _fetch(client, document)


def _look(client: Client, document: Document) -> None:
    known = document.status
    assert known is not None  # noqa: S101 -- what was refused has ended
    with _unless_gone(document):
        document.status = client.status(known.document_id, known)


def _fetch(client: Client, document: Document) -> None:
    known = document.status
    assert known is not None  # noqa: S101 -- what was read has one
    with _unless_gone(document):
        document.result = client.result(known.document_id)


@contextmanager
def _unless_gone(document: Document) -> Iterator[None]:
    """What somebody deleted meanwhile has come to an end too, and spoils it for no other."""
    try:
        yield
    except Refused as refusal:
        if refusal.status not in GONE:
            raise
        document.refusal = str(refusal)


def show(documents: Sequence[Document]) -> None:
    table = Table(title="What was read", title_justify="left", box=SIMPLE_HEAD)
    for heading in ("file", "vendor", "number"):
        table.add_column(heading, overflow="fold")
    table.add_column("date", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("currency", overflow="fold")
    table.add_column("confidence", justify="right", overflow="fold")
    table.add_column("status", no_wrap=True)
    for document in documents:
        names = ("seller.name", "invoice_number", "issue_date", "total", "currency")
        confidence = document.result.confidence if document.result else None
        table.add_row(
            document.file.name,
            *(document.value(name) for name in names),
            "" if confidence is None else f"{confidence:.2f}",
            document.state,
        )
    console().print(table)
    for document in documents:
        if not document.was_read:
            say(f"  {document.file.name}: {document.state} {document.trouble}".rstrip())


def console() -> Console:
    # Rich would squeeze a table that goes to a file into 80 columns.
    return Console() if sys.stdout.isatty() else Console(width=WIDTH_OF_A_LOG)


class _Lines:
    """For logs: a line per document."""

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total, self._done = title, total, 0

    def __enter__(self) -> "_Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return

    def advance(self, name: str, state: str) -> None:
        self._done += 1
        say(f"  {self._title} {self._done}/{self._total}: {name} {state}")


class _Moving:
    """For terminals: one bar that fills."""

    def __init__(self, title: str, total: int) -> None:
        self._progress = Progress(
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[last]}"),
        )
        self._task = self._progress.add_task(title, total=total, last="")

    def __enter__(self) -> "_Moving":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, name: str, state: str) -> None:
        self._progress.update(self._task, advance=1, last=f"{name} {state}")


def _bar(title: str, total: int) -> _Lines | _Moving:
    return _Moving(title, total) if sys.stdout.isatty() else _Lines(title, total)
