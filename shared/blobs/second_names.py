"""A second name for a file that is kept: it costs no bytes, where the disk has such names.

No file of a store is ever written to again, only its name is given to another one; so two names
of one file are as good as two files, each deleted and replaced for itself. Where a disk has no
second names, or the folders lie on different ones, the bytes are written once more.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from random import getrandbits

from shared.blobs.draft import Draft
from shared.blobs.files import whole

# Another disk; a file system without links, or without more of them; one that lets nobody link.
_NO_LINK = frozenset(
    {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
)


def given_too(source: str, temp: Path, target: str) -> None:
    """A reader sees what was there before, or all of this."""
    try:
        _link(source, temp, target)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        _rewrite(source, temp, target)


def _link(source: str, temp: Path, target: str) -> None:
    # As text, which asks less of the interpreter than a path that is taken apart each time.
    try:
        os.link(source, target)
    except FileExistsError:
        # A link never replaces a name, a rename does.
        draft = f"{temp}/{getrandbits(128):032x}"
        os.link(source, draft)
        try:
            os.replace(draft, target)  # noqa: PTH105 -- see above
        finally:
            # Between two names of the same file a rename does nothing, and says so to nobody.
            with suppress(FileNotFoundError):
                os.unlink(draft)  # noqa: PTH108 -- see above


def _rewrite(source: str, temp: Path, target: str) -> None:
    draft = Draft(temp, synced=True)
    try:
        draft.append(whole(source, None))
        draft.seal()
        draft.publish(target)
    finally:
        draft.discard()
