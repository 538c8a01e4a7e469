"""Every knob of storage. Read once, by the door; passed down by the wiring."""

from pydantic import Field

from shared.process.settings import ProcessSettings


class Settings(ProcessSettings):
    extraction_bytes_max: int = Field(default=16 * 1024 * 1024, ge=1024)
    # How often dated paths that are behind are looked for, and from which age on.
    repair_every_s: float = Field(default=10, gt=0, le=3600)
    repair_older_than_s: float = Field(default=30, ge=1, le=86_400)
