"""Keys of blobs: which are legal, and which name the digest of what they hold.

A key becomes a path on a disk, so this is the fence against traversal: nothing that starts
with a dot, nothing absolute, no `..`. Keys are made of ids and digests, never of file names.
"""

import re
from hashlib import sha256

KEY_CHARS_MAX = 512
SEGMENT_CHARS_MAX = 200

# `=` is how folders name what they are partitioned by: date=2026-03-14.
_SEGMENT = re.compile(r"[a-z0-9_][a-z0-9._=-]*")
_PREFIX = re.compile(r"[a-z0-9/._=-]*")
_CONTENT_KEY = re.compile(r"sha256/([0-9a-f]{2})/(\1[0-9a-f]{62})")


class BadKey(ValueError):
    """A key nobody should have made: a bug of the caller, so no retry cures it."""


def valid_key(key: str) -> str:
    segments = key.split("/")
    legal = len(key) <= KEY_CHARS_MAX and ".." not in key
    if not (legal and all(_legal_segment(segment) for segment in segments)):
        raise BadKey(f"not a key of a blob: {key[:KEY_CHARS_MAX]!r}")
    return key


def valid_prefix(prefix: str) -> str:
    legal = _PREFIX.fullmatch(prefix) and ".." not in prefix and not prefix.startswith("/")
    if not legal or len(prefix) > KEY_CHARS_MAX:
        raise BadKey(f"not a prefix of keys: {prefix[:KEY_CHARS_MAX]!r}")
    return prefix


def content_key(digest: str) -> str:
    # Two characters of the digest as a folder: a million files in one folder are slow.
    return f"sha256/{digest[:2]}/{digest}"


def digest_of(key: str) -> str | None:
    """The digest a key promises, or None for a key that promises none."""
    match = _CONTENT_KEY.fullmatch(key)
    return match[2] if match else None


def keeps_promise(key: str, data: bytes) -> bool:
    digest = digest_of(key)
    return digest is None or sha256(data).hexdigest() == digest


def _legal_segment(segment: str) -> bool:
    return len(segment) <= SEGMENT_CHARS_MAX and bool(_SEGMENT.fullmatch(segment))
