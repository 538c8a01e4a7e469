"""Every knob of the extractor. Read once, by the door; passed down by the wiring."""

from pydantic import Field

from shared.process.settings import ProcessSettings


class Settings(ProcessSettings):
    # How much of one document is read at all.
    scan_bytes_max: int = Field(default=64 * 1024 * 1024, ge=1024)
    parser_pages_max: int = Field(default=200, ge=1)
    parser_chars_max: int = Field(default=1_000_000, ge=1000)
    # How long an answer serves further uploads of the same content: 90 days.
    cache_ttl_s: float = Field(default=90 * 86_400, ge=60, le=10 * 366 * 86_400)
    # How long copies of a content wait for one who reads it and is not heard of any more.
    lease_s: float = Field(default=10, ge=1, le=120)
    # How long copies of a content that cannot be read are told so without trying again.
    refusal_s: float = Field(default=60, ge=0, le=3600)
    # What one document may cost before its parser is ended.
    parser_memory_bytes_max: int = Field(default=1024**3, ge=256 * 1024**2)
    parser_cpu_s: int = Field(default=20, ge=1, le=250)
    parser_wall_s: float = Field(default=60, gt=0, le=250)
    # Parsers at once: about the cores of the machine.
    parsers_max: int = Field(default=2, ge=1, le=64)
