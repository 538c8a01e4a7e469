"""Every knob of the review service, with its bounds; read once, when the process starts."""

from pydantic import Field

from shared.process.api_settings import ApiSettings


class Settings(ApiSettings):
    # Long enough to read an invoice, short enough that an abandoned tab blocks nobody.
    claim_lease_s: float = Field(default=900, ge=10, le=24 * 3600)
    extraction_bytes_max: int = Field(default=16 << 20, ge=1 << 16, le=256 << 20)
    extraction_reads_max: int = Field(default=8, ge=1, le=64)
    gauges_every_s: float = Field(default=15, ge=1, le=600)
