"""Every knob of storage. Read once, by the door; passed down by the wiring."""

from pathlib import Path

from pydantic import Field

from shared.process.api_settings import ApiSettings


class Settings(ApiSettings):
    extraction_bytes_max: int = Field(default=16 * 1024 * 1024, ge=1024)
    # How often dated paths that are behind are looked for, and from which age on.
    repair_every_s: float = Field(default=10, gt=0, le=3600)
    repair_older_than_s: float = Field(default=30, ge=1, le=86_400)
    # How often the store is asked whether it answers and has room, and from which age on what
    # a writer has begun counts as left behind.
    mind_blobs_every_s: float = Field(default=5, gt=0, le=3600)
    drafts_older_than_s: float = Field(default=86_400, ge=3600, le=30 * 86_400)
    # Templates and compression of what is written, in YAML; unset, the file that comes with
    # the program. The same variable tells the extractor.
    extraction_config: Path | None = None
    # How often days that changed are looked for, and how long a manifest rests before it is
    # written again; one with many documents rests longer.
    manifests_every_s: float = Field(default=2, gt=0, le=3600)
    manifest_debounce_s: float = Field(default=10, ge=0, le=3600)
    # A day is merged into one file so long after it ended, and when nothing of it has changed
    # for a while; this is looked for so often, and takes this share of one core at most.
    compact_after_s: float = Field(default=3600, ge=0, le=30 * 86_400)
    compact_quiet_s: float = Field(default=1800, ge=0, le=7 * 86_400)
    compact_every_s: float = Field(default=60, gt=0, le=86_400)
    compact_share: float = Field(default=0.5, gt=0, le=1)
    # Parquet files by document of days that were merged so long ago are removed; their
    # versions stay. Unset: never.
    prune_after_days: int | None = Field(default=None, ge=1, le=3660)
    # Files of versions that nobody has committed are erased after so long: never before the
    # attempt that wrote them has run out of time to commit.
    stray_after_s: float = Field(default=86_400, ge=3600, le=30 * 86_400)
    # Where manifests and merged files grow before they are put; unset, the system's own.
    scratch_folder: Path | None = None
    # An export reads so many results a page, and so many of them at once.
    export_page_results: int = Field(default=100, ge=1, le=1000)
    export_page_reads: int = Field(default=16, ge=1, le=64)
    # Of one owner so many are made in the background at a time; how often they are looked for,
    # after how long a process that makes one counts as dead, and how long a file is kept.
    exports_open_max: int = Field(default=5, ge=1, le=1000)
    exports_every_s: float = Field(default=1, gt=0, le=3600)
    export_lease_s: float = Field(default=60, ge=3, le=3600)
    export_keep_s: float = Field(default=86_400, ge=1, le=30 * 86_400)
    # How many exports one process streams at a time.
    export_streams_max: int = Field(default=4, ge=1, le=100)
    # How often files are looked for that are not wanted any more.
    clear_every_s: float = Field(default=10, gt=0, le=3600)
    # How often results are looked for that the index does not know.
    catch_up_every_s: float = Field(default=600, gt=0, le=86_400)
    # What a consumer is handed over at a time, and how long a link to a file opens.
    handover_batch_max: int = Field(default=1000, ge=1, le=10_000)
    link_max_s: float = Field(default=86_400, ge=1, le=7 * 86_400)
