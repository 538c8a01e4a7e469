"""What a store in a folder tells its disk, in order, and what it leaves there."""

import os
from fcntl import F_GETFL, fcntl
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from shared.blobs.filesystem import TEMP

Calls: TypeAlias = list[tuple[str, str]]


def drafts(root: Path) -> list[Path]:
    return list((root / TEMP).iterdir())


def recorded(monkeypatch: pytest.MonkeyPatch, root: Path) -> Calls:
    """Which file was synced, which name was given."""
    calls: Calls = []
    fsync, write, replace, link = os.fsync, os.write, os.replace, os.link
    name = partial(_name, root)

    def file(descriptor: int) -> str:
        return name(Path(f"/proc/self/fd/{descriptor}").readlink())

    def recording_fsync(descriptor: int) -> None:
        calls.append(("sync", file(descriptor)))
        fsync(descriptor)

    def recording_write(descriptor: int, data: bytes) -> int:
        written = write(descriptor, data)
        if written == len(data) and fcntl(descriptor, F_GETFL) & os.O_SYNC == os.O_SYNC:
            calls.append(("sync", file(descriptor)))
        return written

    def recording_replace(draft: str, target: str) -> None:
        calls.append(("name", name(target)))
        replace(draft, target)

    def recording_link(source: str, target: str) -> None:
        link(source, target)
        if name(target) != "draft":
            calls.append(("name", name(target)))

    monkeypatch.setattr(os, "fsync", recording_fsync)
    monkeypatch.setattr(os, "link", recording_link)
    monkeypatch.setattr(os, "write", recording_write)
    monkeypatch.setattr(os, "replace", recording_replace)
    return calls


def _name(root: Path, path: str | Path) -> str:
    relative = Path(path).relative_to(root).as_posix()
    return "draft" if relative.startswith(f"{TEMP}/") else relative
