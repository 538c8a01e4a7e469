"""A file on its way to its name: hashed while written, then published whole or gone.

A crash may leave the draft in the temp folder, never a part under a key. Its thread may still
be at work when the task that waits for it is cancelled, hence the lock: closing a file while
another thread writes to it could hit whatever file is opened next.
"""

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import getrandbits
from threading import Lock

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


class Draft:
    def __init__(self, folder: Path, *, synced: bool = False) -> None:
        """`synced`: each piece is on the disk when it was appended, for what has one only."""
        # Nobody's but ours, and no secret: a name that is taken would be refused below. As
        # text, which asks less of the interpreter than a path that is taken apart each time.
        self.path = f"{folder}/{getrandbits(128):032x}"
        self.size = 0
        self._digest = sha256()
        self._lock = Lock()
        self._synced = synced
        flags = _NEW | os.O_SYNC if synced else _NEW
        self._descriptor = os.open(self.path, flags, 0o640)
        self._open = True
        self._has_name = False

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def append(self, piece: bytes) -> None:
        with self._lock:
            self._require_open()
            self._digest.update(piece)
            self.size += len(piece)
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    def seal(self) -> None:
        """The bytes are on the disk when this returns; only then may the name point to them."""
        with self._lock:
            self._require_open()
            if not self._synced:
                os.fsync(self._descriptor)
            self._close()

    def publish(self, target: str) -> None:
        """Gives it its name; nothing is left to discard."""
        os.replace(self.path, target)  # noqa: PTH105 -- see above
        self._has_name = True

    def discard(self) -> None:
        """Safe after publishing too."""
        with self._lock:
            self._close()
            if not self._has_name:
                with suppress(FileNotFoundError):
                    os.unlink(self.path)  # noqa: PTH108 -- see above

    def _require_open(self) -> None:
        if not self._open:
            raise ValueError("the draft was discarded or sealed")

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._descriptor)


def fsync_folder(folder: Path) -> None:
    # A rename is only as durable as the folder that holds the new name.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
