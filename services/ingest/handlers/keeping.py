"""Bytes into the object store, whatever door they came through: hashed, counted, recognised.

One pass does all three, so nothing is read twice; what is too large or none of our formats is
refused while it streams, and nothing of it is kept.
"""

from collections.abc import AsyncIterator

from services.ingest.domain.documents import Scan
from services.ingest.domain.formats import Sniffer
from services.ingest.ports import Ports


async def keep_bytes(chunks: AsyncIterator[bytes], use: Ports) -> Scan:
    sniffer = Sniffer()
    blob = await use.blobs.write(sniffer.watch(chunks), limit_bytes=use.upload_bytes_max)
    await use.admission.require_still_known()
    return Scan(blob.key, blob.sha256, blob.size, sniffer.media_type)
