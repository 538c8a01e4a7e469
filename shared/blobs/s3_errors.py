"""What an error of an object store means for the job that met it.

Pure. A store that is away, throttles or refuses our credentials pauses the consumers, since
no document is to blame; a transfer that arrived damaged costs an attempt; only an object that
is not there, or one that is corrupt whenever it is looked at, ends a job.
"""

from botocore.exceptions import (
    ChecksumError,
    ClientError,
    FlexibleChecksumError,
    ParamValidationError,
)

from shared.errors import Rejected, Retryable

_MISSING = frozenset({"NoSuchKey", "404", "NotFound"})
# Ours or the path's: the next try may well succeed, and others need not wait for it.
ONCE_MORE = frozenset(
    {"BadDigest", "InvalidDigest", "IncompleteBody", "NoSuchUpload", "InvalidPart",
     "ConditionalRequestConflict", "PreconditionFailed",
     "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"}
)  # fmt: skip
_TAKEN = "PreconditionFailed"
_PAST_THE_END = "InvalidRange"


class Corrupt(Rejected):
    """`found` tells these bytes from any others."""

    def __init__(self, key: str, found: str) -> None:
        super().__init__("source_corrupt", key)
        self.found = found


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def key_taken(error: Exception) -> bool:
    return isinstance(error, ClientError) and code_of(error) in (_TAKEN, "412")


def past_the_end(error: Exception) -> bool:
    return isinstance(error, ClientError) and code_of(error) in (_PAST_THE_END, "416")


def translated(error: Exception, key: str) -> Rejected | Retryable:
    match error:
        case ClientError():
            return _of_answer(error, key)
        case ChecksumError() | FlexibleChecksumError():
            # It names the digest that it found.
            return Corrupt(key, str(error))
        case ParamValidationError():
            return Retryable(f"the object store's client refused a call: {error}")
        case _:
            return Retryable(f"the object store: {error}", dependency="blobs")


def _of_answer(error: ClientError, key: str) -> Rejected | Retryable:
    code = code_of(error)
    if code in _MISSING:
        return Rejected("source_missing", key)
    if code == "EntityTooLarge":
        return Rejected("too_large", key)
    if code in ONCE_MORE:
        return Retryable(f"the object store: {error}")
    return Retryable(f"the object store: {error}", dependency="blobs", after_s=wish_of(error))


def wish_of(error: ClientError) -> float | None:
    headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    wish = str(headers.get("retry-after", ""))
    return float(wish) if wish.isdecimal() else None
