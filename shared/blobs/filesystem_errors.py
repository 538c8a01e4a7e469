"""What an error of the disk means for the job that met it.

Almost everything passes (a full disk, a stale mount, too many open files) and must pause the
consumers instead of burning attempts. Only a blob that is not there will never be there.
"""

import errno

from shared.blobs.keys import BadKey
from shared.errors import Rejected, Retryable

# The key lies below another blob, or is the folder of others.
_NOT_A_BLOB = frozenset({errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
_NO_PLACE = _NOT_A_BLOB | {errno.EEXIST}


def failed_write(error: OSError, key: str) -> Exception:
    if error.errno in _NO_PLACE:
        return BadKey(f"no blob can be stored under {key!r}")
    return _away(error)


def failed_read(error: OSError, key: str, *, mounted: bool) -> Exception:
    absent = error.errno == errno.ENOENT or error.errno in _NOT_A_BLOB
    if absent and mounted:
        return Rejected("source_missing", key)
    return _away(error)


def _away(error: OSError) -> Retryable:
    return Retryable(f"the disk of the blobs: {error}", dependency="blobs")
