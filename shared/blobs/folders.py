"""The folders of a store on a disk: which are there, and which of their names are durable.

A name is only as durable as the folder that holds it, and that one as the folder above. Asking
the disk each time costs more than the write itself, so what was seen there is remembered, and
found out to be wrong when a name cannot be given.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from shared.blobs.draft import fsync_folder

KNOWN_FOLDERS_MAX = 10_000


class Folders:
    """Shared by threads: a dictionary is replaced or changed in one step, never rebuilt."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # By the beginning of the keys in them: paths are slow to take apart.
        self._known: dict[str, Path] = {}

    def naming(self, key: str, give: Callable[[str], object]) -> tuple[str, Path]:
        """Lets `give` give the name of a key, in a folder that is there: the beginning of the
        key, and the folder."""
        beginning, _, name = key.rpartition("/")
        # Whether a known one is still there is told by this, so it is not asked before.
        with suppress(KeyError, FileNotFoundError):
            folder = self._known[beginning]
            give(f"{folder}/{name}")
            return beginning, folder
        folder = self.made(beginning)
        give(f"{folder}/{name}")
        return beginning, folder

    def made(self, beginning: str) -> Path:
        """There now. What was known and has gone is not known any more."""
        known, name = self._known, beginning
        while name and not (name in known and known[name].is_dir()):
            known.pop(name, None)
            name = name.rpartition("/")[0]
        folder = self._root / beginning
        if name != beginning:
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def sync(self, begun: Mapping[str, Path]) -> None:
        """Names in these are durable. Each folder that is new to us gets its own name synced,
        also when somebody else made it a moment ago: his sync may still be ahead of him."""
        new: dict[str, Path] = {}
        for beginning in begun:
            name = beginning
            while name and not (name in self._known or name in new):
                new[name] = self._root / name
                name = name.rpartition("/")[0]
        for folder in dict.fromkeys((*begun.values(), *(path.parent for path in new.values()))):
            fsync_folder(folder)
        if len(self._known) > KNOWN_FOLDERS_MAX:
            # Every document has a folder of its own: most of them are never written to again.
            self._known = {}
        self._known.update(new)
