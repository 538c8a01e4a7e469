"""Walk a folder of blobs, holding one folder's names in memory and never all of them.

Names are sorted, so that two walks over an unchanged store agree; a store may grow and shrink
meanwhile, and what goes away under the walk is not an error.
"""

import os
from collections.abc import Iterator
from pathlib import Path


def keys_under(root: Path, prefix: str) -> Iterator[str]:
    folder = prefix.rpartition("/")[0]
    return _walk(root, f"{folder}/" if folder else "", prefix)


def _walk(root: Path, folder: str, prefix: str) -> Iterator[str]:
    for name in _names(root / folder):
        key = folder + name
        if name.endswith("/") and (key.startswith(prefix) or prefix.startswith(key)):
            yield from _walk(root, key, prefix)
        elif key.startswith(prefix):
            yield key


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry in entries
                if not entry.name.startswith(".")
            )
    except (FileNotFoundError, NotADirectoryError):
        # Nothing starts with this prefix, or the folder went away while we walked.
        return []
