"""What opens the bytes of strangers for ingest, each within the bounds of the settings."""

from services.ingest.adapters.archives import ZipArchives
from services.ingest.adapters.splitting import SandboxCutter
from services.ingest.adapters.unlocking import PdfUnlocker
from services.ingest.domain.archives import ArchiveLimits
from services.ingest.domain.batches import ITEMS_MAX
from services.ingest.settings import Settings
from shared.sandbox.worker import Bounds
from shared.topology.queues import SPLIT


def unlocker(settings: Settings) -> PdfUnlocker:
    bounds = Bounds(
        memory_bytes=settings.unlock_memory_bytes_max,
        cpu_s=settings.unlock_cpu_s,
        wall_s=settings.unlock_wall_s,
        answer_bytes_max=settings.upload_bytes_max,
    )
    return PdfUnlocker(
        bounds, at_once=settings.unlocks_max, limit_bytes=settings.upload_bytes_max
    )


def cutter(settings: Settings) -> SandboxCutter:
    bounds = Bounds(
        memory_bytes=settings.unlock_memory_bytes_max,
        cpu_s=settings.split_cpu_s,
        wall_s=settings.split_wall_s,
        # All parts together may hold a page more than once.
        answer_bytes_max=settings.upload_bytes_max * 2,
    )
    return SandboxCutter(bounds, at_once=SPLIT.slots)


def archives(settings: Settings) -> ZipArchives:
    limits = ArchiveLimits(
        archive_bytes=settings.archive_bytes_max,
        unpacked_bytes=settings.unpacked_bytes_max,
        member_bytes=settings.upload_bytes_max,
        members=ITEMS_MAX,
    )
    return ZipArchives(limits, at_once=settings.archives_max)
