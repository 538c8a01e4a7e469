"""What an archive may claim before anything of it is unpacked, and what its members are called.

An archive is judged by its directory: how many members, how large, how much smaller than that
they lie there, and whether two of them share bytes, which is how a small file becomes a large
one many times over. A directory that lies is caught while its member is unpacked.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from services.ingest.domain.documents import clean_filename
from shared.errors import Rejected

# Documents are packed already; what shrinks further than this was made to.
RATIO_MAX = 200
# Below it nobody is hurt, and an empty page as a bitmap shrinks a thousandfold.
RATIO_BYTES_MIN = 1 << 20
STORED, DEFLATED = 0, 8

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ARCHIVES = (*_ZIP, b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!\x1a\x07")
# What systems leave in an archive beside what a person put there.
_LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_LITTER_FOLDER = "__MACOSX/"


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    archive_bytes: int
    unpacked_bytes: int
    member_bytes: int
    members: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an archive's directory, and which bytes of the archive it takes."""

    name: str
    size: int
    packed: int
    starts: int
    ends: int
    encrypted: bool
    method: int


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """`refused` is why it is not unpacked; else `content` gives its bytes, or raises Rejected
    when they are not what the directory said."""

    filename: str
    refused: Rejected | None
    content: Callable[[], AsyncIterator[bytes]]


def is_archive(head: bytes) -> bool:
    """Of the one kind that is unpacked."""
    return head.startswith(_ZIP)


def is_litter(name: str) -> bool:
    """Folders, and what nobody knows to be there."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return not last or last in _LITTER or name.startswith(_LITTER_FOLDER)


def member_name(name: str, *, is_utf8: bool) -> str:
    """Without its folders, which we never make. Most tools write UTF-8 and do not say so."""
    if not is_utf8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return clean_filename(name)


def require_sane(entries: Sequence[Entry], *, directory_at: int, limits: ArchiveLimits) -> None:
    """Raises Rejected for an archive of which nothing is to be unpacked."""
    if not entries:
        raise Rejected("empty", "There is no file in the archive.")
    if len(entries) > limits.members:
        raise Rejected(
            "bad_archive", f"It holds {len(entries)} files; at most {limits.members} are taken."
        )
    ordered = sorted(entries, key=lambda one: one.starts)
    following = [*(one.starts for one in ordered[1:]), directory_at]
    if any(one.ends > start for one, start in zip(ordered, following, strict=True)):
        raise Rejected("bad_archive", "Two of its files share the same bytes.")
    if sum(one.size for one in entries if refusal(one, limits) is None) > limits.unpacked_bytes:
        raise Rejected("too_large", f"It unpacks to more than {limits.unpacked_bytes} bytes.")


def refusal(entry: Entry, limits: ArchiveLimits) -> Rejected | None:
    """Why this one stays out while the others come in."""
    if entry.encrypted:
        return Rejected("encrypted", "It is locked with a password.")
    if entry.method not in (STORED, DEFLATED):
        return Rejected("unreadable", "It is packed in a way that is not read.")
    if entry.size > limits.member_bytes:
        return Rejected("too_large", f"It unpacks to more than {limits.member_bytes} bytes.")
    if entry.size > RATIO_BYTES_MIN and entry.size > RATIO_MAX * entry.packed:
        return Rejected("too_large", f"It unpacks to over {RATIO_MAX} times its size.")
    return None


def require_no_archive(head: bytes) -> None:
    if head.startswith(_ARCHIVES):
        raise Rejected("nested_archive", "An archive within an archive is not unpacked.")
