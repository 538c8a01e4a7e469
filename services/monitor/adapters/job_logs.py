"""What jobs had to say, as `shared/process/job_logs.py` keeps it beside their documents."""

from uuid import UUID

from shared.blobs.port import Blobs
from shared.errors import Rejected

# A longer one is none that was written there.
LOG_BYTES_MAX = 4 << 20
# Of one run; more are never made.
ATTEMPTS_MAX = 10


class JobLogs:
    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    async def read_logs(
        self, document_id: UUID, job_id: UUID, run: int, attempts: int
    ) -> dict[int, str]:
        found: dict[int, str] = {}
        for attempt in range(1, min(attempts, ATTEMPTS_MAX) + 1):
            key = f"logs/{document_id}/{job_id}.{run}.{attempt}.log"
            try:
                raw = await self._blobs.read(key, limit_bytes=LOG_BYTES_MAX)
            except Rejected:
                # Kept as well as could be: one that is missing is no error.
                continue
            found[attempt] = raw.decode("utf-8", "replace")
        return found
