"""Every knob of ingest. Read once, by the door; passed down by the wiring."""

from pydantic import Field

from shared.process.settings import ProcessSettings

MEBIBYTE = 1 << 20


class Settings(ProcessSettings):
    # One document; counted while it streams in.
    upload_bytes_max: int = Field(default=25 * MEBIBYTE, ge=1024)
    # How long one upload may take.
    upload_s: float = Field(default=300, gt=0, le=3600)
    # Requests served at once by one process; more are told to come back.
    requests_max: int = Field(default=200, ge=1, le=10_000)
    # How long the same Idempotency-Key stands for the same request.
    idempotency_ttl_s: float = Field(default=86_400, ge=60)
