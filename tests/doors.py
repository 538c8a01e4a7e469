"""What stands at the door of ingest, the real thing: it needs nothing from outside."""

from services.ingest.adapters.archives import ZipArchives
from services.ingest.adapters.splitting import SandboxCutter
from services.ingest.adapters.unlocking import PdfUnlocker
from services.ingest.domain.archives import ArchiveLimits
from shared.sandbox.worker import Bounds

KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20


def unlocker() -> PdfUnlocker:
    bounds = Bounds(
        memory_bytes=1024 * MEBIBYTE, cpu_s=10, wall_s=30, answer_bytes_max=MEBIBYTE
    )
    return PdfUnlocker(bounds, at_once=2, limit_bytes=MEBIBYTE)


def cutter() -> SandboxCutter:
    bounds = Bounds(
        memory_bytes=1024 * MEBIBYTE, cpu_s=10, wall_s=30, answer_bytes_max=4 * MEBIBYTE
    )
    return SandboxCutter(bounds, at_once=2)


def archives() -> ZipArchives:
    limits = ArchiveLimits(
        archive_bytes=MEBIBYTE,
        unpacked_bytes=2 * MEBIBYTE,
        member_bytes=64 * KIBIBYTE,
        members=1_000,
    )
    return ZipArchives(limits, at_once=2)
