"""Every knob of ingest. Read once, by the door; passed down by the wiring."""

from pydantic import Field, SecretStr

from shared.process.settings import HttpUrl, ProcessSettings
from shared.topology.queues import EXTRACT

MEBIBYTE = 1 << 20


class Settings(ProcessSettings):
    # One document; counted while it streams in.
    upload_bytes_max: int = Field(default=25 * MEBIBYTE, ge=1024)
    # How long one upload may take.
    upload_s: float = Field(default=300, gt=0, le=3600)
    # Requests served at once by one process; more are told to come back.
    requests_max: int = Field(default=200, ge=1, le=10_000)
    # Documents released to the broker and not yet extracted, of all clients; the rest waits in
    # PostgreSQL. Four times the extractor's slots of all replicas.
    pipeline_window: int = Field(default=4 * EXTRACT.slots, ge=1, le=100_000)
    # Documents of one batch that are under way at a time; the others are held.
    max_concurrent_tasks: int = Field(default=10, ge=1, le=1_000)
    # How often one process looks for documents that another let wait.
    release_poll_s: float = Field(default=0.25, gt=0, le=60)
    # How often documents are looked for that no fact has moved.
    sweep_every_s: float = Field(default=900, ge=1, le=86_400)
    # Without a fact for so long, a released document may have been lost.
    queued_stale_s: float = Field(default=3_600, ge=1, le=604_800)
    # The same for one that has been started, counted from its next attempt.
    processing_stale_s: float = Field(default=360, ge=1, le=604_800)
    # Who follows events at once in one process; more are told to come back.
    event_streams_max: int = Field(default=500, ge=1, le=10_000)
    # How long the same Idempotency-Key stands for the same request.
    idempotency_ttl_s: float = Field(default=86_400, ge=60)
    # Signs the addresses of further pages; the same in all replicas.
    cursor_secret: SecretStr = Field(min_length=16)
    # What one API key may ask for, at all replicas together; a burst is allowed after a pause.
    key_rate_per_s: float = Field(default=200, gt=0, le=100_000)
    key_burst: int = Field(default=2_000, ge=1, le=1_000_000)
    # Where people find the review, so that the upload page can lead them there.
    review_url: HttpUrl | None = None
