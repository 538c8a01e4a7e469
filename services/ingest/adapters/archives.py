"""ZIP files, unpacked one member at a time and never further than they were judged.

The directory at the end is measured before it is read: a crafted one would fill our memory
with its lines alone. Blocking calls run in threads, as those of the disk do.
"""

import asyncio
import errno
import struct
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from services.ingest.adapters.spool import spooled
from services.ingest.domain.archives import (
    ArchiveLimits,
    ArchiveMember,
    Entry,
    is_litter,
    member_name,
    refusal,
    require_no_archive,
    require_sane,
)
from shared.errors import Rejected, Retryable

PIECE_BYTES = 256 * 1024
# A thousand lines with long names are a third of it.
DIRECTORY_BYTES_MAX = 1 << 20
AGAIN_IN_S = 5.0
ENCRYPTED, UTF8 = 0x1, 0x800

_END, _END_BYTES, _COMMENT_BYTES_MAX = b"PK\x05\x06", 22, (1 << 16) - 1
_LOCATOR, _LOCATOR_BYTES = b"PK\x06\x07", 20
_END_64, _END_64_BYTES = b"PK\x06\x06", 56
_HEADER, _HEADER_BYTES = b"PK\x03\x04", 30
# All that the library is known to raise about a file that was made to break it.
BROKEN = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)


class ZipArchives:
    def __init__(self, limits: ArchiveLimits, *, at_once: int) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def unpack(
        self, chunks: AsyncIterator[bytes]
    ) -> AsyncIterator[Sequence[ArchiveMember]]:
        """Raises Rejected for an archive that is refused whole."""
        if self._slots.locked():
            # Each takes its size on the disk while it arrives: nobody queues for that.
            raise Retryable("enough archives are being unpacked", after_s=AGAIN_IN_S)
        async with (
            self._slots,
            spooled(chunks, limit_bytes=self._limits.archive_bytes) as file,
        ):
            archive, members = await asyncio.to_thread(self._open, file)
            with archive:
                yield members

    def _open(self, file: BinaryIO) -> tuple[ZipFile, list[ArchiveMember]]:
        try:
            _require_small_directory(file)
            archive = ZipFile(file)
            found = [(_entry(one, file), one) for one in archive.infolist()]
        except BROKEN as error:
            raise Rejected("bad_archive", "The ZIP file cannot be read.") from error
        except OSError as error:
            # So it is when a crafted offset points before the file's beginning.
            if error.errno == errno.EINVAL:
                raise Rejected("bad_archive", "The ZIP file cannot be read.") from error
            raise Retryable(f"an archive on our disk cannot be read: {error}") from error
        found = [(entry, info) for entry, info in found if not is_litter(entry.name)]
        require_sane(
            [entry for entry, _ in found],
            directory_at=archive.start_dir,
            limits=self._limits,
        )
        return archive, [self._member(archive, entry, info) for entry, info in found]

    def _member(self, archive: ZipFile, entry: Entry, info: ZipInfo) -> ArchiveMember:
        name = member_name(entry.name, is_utf8=bool(info.flag_bits & UTF8))
        return ArchiveMember(
            name, refusal(entry, self._limits), partial(_content, archive, info)
        )


async def _content(archive: ZipFile, info: ZipInfo) -> AsyncIterator[bytes]:
    try:
        with await asyncio.to_thread(archive.open, info) as member:
            first = True
            while piece := await asyncio.to_thread(member.read, PIECE_BYTES):
                if first:
                    require_no_archive(piece)
                    first = False
                yield piece
    except BROKEN as error:
        raise Rejected("unreadable", "It cannot be unpacked.") from error
    except OSError as error:
        raise Retryable(f"an archive on our disk cannot be read: {error}") from error


def _entry(info: ZipInfo, file: IO[bytes]) -> Entry:
    """With the place of its bytes, which only its own header tells."""
    file.seek(info.header_offset)
    header = file.read(_HEADER_BYTES)
    if not header.startswith(_HEADER):
        raise BadZipFile("a member is not where the directory says")
    name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
    begins = info.header_offset + _HEADER_BYTES + name_bytes + extra_bytes
    return Entry(
        name=info.filename,
        size=info.file_size,
        packed=info.compress_size,
        starts=info.header_offset,
        ends=begins + info.compress_size,
        encrypted=bool(info.flag_bits & ENCRYPTED),
        method=info.compress_type,
    )


def _require_small_directory(file: BinaryIO) -> None:
    """Looks for the end record where the library will."""
    size = file.seek(0, 2)
    tail_bytes = _COMMENT_BYTES_MAX + _END_BYTES + _LOCATOR_BYTES + _END_64_BYTES
    file.seek(max(0, size - tail_bytes))
    tail = file.read()
    file.seek(0)
    at = len(tail) - _END_BYTES
    if not (tail[max(0, at) :].startswith(_END) and tail.endswith(b"\x00\x00")):
        at = tail.rfind(_END)
    if at < 0 or at + _END_BYTES > len(tail):
        raise BadZipFile("there is no directory")
    [directory_bytes] = struct.unpack_from("<L", tail, at + 12)
    before = at - _LOCATOR_BYTES
    if before >= 0 and tail.startswith(_LOCATOR, before):
        before -= _END_64_BYTES
        if before >= 0 and tail.startswith(_END_64, before):
            [directory_bytes] = struct.unpack_from("<Q", tail, before + 40)
    if directory_bytes > DIRECTORY_BYTES_MAX:
        raise BadZipFile("its directory is too long")
