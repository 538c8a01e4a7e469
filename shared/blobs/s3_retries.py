"""How often a call to an object store is repeated before its job is told, and which may be.

Pure. A store that stumbles for a second should not pause a queue, and one that is away must be
noticed soon: so the attempts are few, spread by chance, and end when they have taken long.
What decides a race is never repeated once the store may have heard it: the second time it would
be told that the key is taken, by itself.
"""

import random
from dataclasses import dataclass

from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ProxyConnectionError,
    ResponseStreamingError,
    SSLError,
)
from urllib3.exceptions import HTTPError

from shared.blobs.s3_errors import ONCE_MORE, code_of, wish_of

# The store said so before it did anything.
_REFUSED = frozenset({"SlowDown", "ServiceUnavailable", "Throttling", "TooManyRequests", "503"})
_STUMBLED = frozenset({"InternalError", "RequestTimeout", "OperationAborted"})
_NEVER_SENT = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)
_ON_THE_WAY = (
    HTTPClientError, IncompleteReadError, ResponseStreamingError, HTTPError, ConnectionError,
    TimeoutError,
)  # fmt: skip
_SERVER_FAULT, _TOO_MANY = 500, 429


@dataclass(frozen=True, slots=True)
class Retries:
    attempts: int = 3
    backoff_s: float = 0.2
    # No attempt begins later than this after the first did.
    within_s: float = 8.0

    def pause_s(self, error: Exception, *, failed: int, lasted_s: float) -> float | None:
        """How long to wait after so many failed attempts; None when it was the last."""
        if failed >= self.attempts:
            return None
        wish = wish_of(error) if isinstance(error, ClientError) else None
        half = self.backoff_s * 2 ** (failed - 1) / 2
        pause = max(half + random.uniform(0, half), wish or 0.0)  # noqa: S311 -- spread, not secret
        return pause if lasted_s + pause < self.within_s else None


def may_pass(error: Exception) -> bool:
    """Whether the same call may succeed in a moment: a wrong secret stays wrong."""
    if was_refused(error):
        return True
    if isinstance(error, ClientError):
        code = code_of(error)
        known = code in _STUMBLED or (code in ONCE_MORE and code != "NoSuchUpload")
        return known or _status(error) >= _SERVER_FAULT
    return isinstance(error, _ON_THE_WAY) and not isinstance(error, SSLError)


def was_refused(error: Exception) -> bool:
    """Whether the store surely did nothing of what was asked."""
    if isinstance(error, ClientError):
        code = code_of(error)
        return (
            code in _REFUSED or code == "ConditionalRequestConflict"
            or _status(error) == _TOO_MANY
        )  # fmt: skip
    return isinstance(error, _NEVER_SENT)


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
