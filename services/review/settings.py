"""Every knob of the review service, with its bounds; read once, when the process starts."""

from pathlib import Path

from pydantic import Field

from shared.configuration.engines import EngineNames
from shared.process.api_settings import ApiSettings
from shared.process.settings import HttpUrl


class Settings(ApiSettings):
    # Long enough to read an invoice, short enough that an abandoned tab blocks nobody.
    claim_lease_s: float = Field(default=900, ge=10, le=24 * 3600)
    extraction_bytes_max: int = Field(default=16 << 20, ge=1 << 16, le=256 << 20)
    extraction_reads_max: int = Field(default=8, ge=1, le=64)
    # In which reviewers take back the own decision, whatever their rights.
    undo_s: float = Field(default=30, ge=0, le=3600)
    # For how long an item is not handed out while it is being read anew.
    reextract_wait_s: float = Field(default=3600, ge=10, le=48 * 3600)
    # Rules, thresholds, weights, due times, in YAML; unset, the file that comes with the
    # program. The same variable tells the extractor.
    extraction_config: Path | None = None
    # By which a document can be read anew; the same variable tells the extractor.
    engines: EngineNames | None = Field(default=None, validation_alias="ENGINES")
    # How much of one document is looked at when its pages are shown: as the extractor does.
    page_content_bytes_max: int = Field(default=64 << 20, ge=1024, le=1 << 30)
    page_numbers_max: int = Field(default=200, ge=1, le=10_000)
    page_chars_max: int = Field(default=1_000_000, ge=1000)
    page_pixels_max: int = Field(default=64_000_000, ge=1_000_000)
    # What showing one page may cost before its painter is ended, and painters at once: about
    # the cores of the machine.
    painter_memory_bytes_max: int = Field(default=1 << 30, ge=256 << 20)
    painter_cpu_s: int = Field(default=10, ge=1, le=250)
    painter_wall_s: float = Field(default=20, gt=0, le=250)
    painters_max: int = Field(default=2, ge=1, le=64)
    # With nothing to do for so long a painter is ended.
    painter_idle_s: float = Field(default=600, ge=1, le=86_400)
    # Whoever got no turn to have a page drawn for so long is asked to come back.
    page_patience_s: float = Field(default=10, gt=0, le=120)
    # How long a page that could not be shown is refused without trying again.
    page_refusal_s: float = Field(default=600, ge=0, le=86_400)
    # Of all pages that were drawn and are kept, and how long they are kept unseen.
    drawn_bytes_max: int = Field(default=10 << 30, ge=1 << 20)
    drawn_unused_s: float = Field(default=30 * 86_400, ge=3600)
    drawn_sweep_every_s: float = Field(default=600, ge=1, le=86_400)
    gauges_every_s: float = Field(default=15, ge=1, le=600)
    # Who was not seen for so long is not given items of themselves.
    reviewer_away_after_s: float = Field(default=8 * 3600, ge=60, le=7 * 86_400)
    # How often ended claims, items put off and those overdue are looked for.
    mind_queue_every_s: float = Field(default=5, gt=0, le=600)
    # Approve without a person what the configuration finds sure enough. Set, it wins over it.
    straight_through: bool = False
    # Where people sign in: the upload page, since only ingest may begin a session. Its cookie
    # belongs to the host: both are reached under the same name, on whatever ports.
    sign_in_url: HttpUrl | None = None
