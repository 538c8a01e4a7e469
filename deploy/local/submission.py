"""Hands files to a running stack, this one or another; shows what was read when asked to."""

from collections.abc import Sequence
from pathlib import Path

from deploy.local import reading, remote
from deploy.local.errors import StackError
from deploy.local.reading import ARCHIVE_SUFFIX, Document
from deploy.local.remote import Elsewhere
from deploy.local.report import say
from deploy.local.state import State
from shared.client import Wishes


def submit(
    state: State,
    files: Sequence[Path],
    elsewhere: Elsewhere,
    *,
    priority: str,
    password: str | None,
    wait: bool,
) -> int:
    chosen = reading.files_in(files)
    if password and any(one.suffix.lower() == ARCHIVE_SUFFIX for one in chosen):
        raise StackError("A password opens single documents; hand the archive in without it.")
    with remote.door(state, elsewhere) as client:
        documents = reading.submit(client, chosen, wishes=Wishes(priority), password=password)
        if wait:
            reading.watch(client, documents, patience_s=float("inf"))
    if wait:
        reading.show(documents)
        return 0 if all(document.was_read for document in documents) else 1
    for document in documents:
        say(f"  {document.file.name}: {_told(document)}")
    return 1 if any(document.refusal for document in documents) else 0


def _told(document: Document) -> str:
    return document.refusal or str(document.status.document_id if document.status else "")
