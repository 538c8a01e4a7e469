"""Bytes that other programs leave for us in places the operator has named.

A message says the name of a place and a key in it, never an address: what is not listed in the
settings cannot be reached through us. `tests/conformance/test_sources.py` holds every
implementation to these words.
"""

import re
import unicodedata
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from shared.errors import Deferred, Rejected

KEY_BYTES_MAX = 1024
AWAY_AFTER_S = 10.0

_NAMED = re.compile(r"([a-z0-9][a-z0-9._-]{0,99})=((?:file:///|s3://[a-z0-9])[^\s,]*)")
_NO_SEGMENTS = frozenset({"", ".", ".."})


class Source(Protocol):
    def stream(self, key: str, *, version_id: str | None = None) -> AsyncIterator[bytes]:
        """One version of the object, from its first byte to its last, or an error.

        Raises Rejected: invalid_key, source_missing, source_not_allowed. Somebody else's store
        that is away defers the one job and stops nobody else, so it is no dependency of ours.
        """
        ...


def named_sources(text: str) -> Mapping[str, str]:
    """`scans=s3://scans/inbox, mail=file:///srv/mail` as names and addresses.

    Raises ValueError."""
    found: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        match = _NAMED.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is not name=s3://bucket/prefix or name=file:///folder")
        if match[1] in found:
            raise ValueError(f"{match[1]!r} is named twice")
        found[match[1]] = match[2]
    return found


def source_key(key: str) -> str:
    """Some stores walk up at `..`, and some take a key for an address: plain paths only."""
    plain = not any(unicodedata.category(one)[0] == "C" for one in key)
    if (
        not plain
        or "\\" in key
        or _NO_SEGMENTS & set(key.split("/"))
        or len(key.encode()) > KEY_BYTES_MAX
    ):
        raise Rejected("invalid_key", "the key of a source is a plain path, such as 2026/a.pdf")
    return key


def away(error: Exception) -> Deferred:
    return Deferred(f"the source is away: {error}", after_s=AWAY_AFTER_S)
