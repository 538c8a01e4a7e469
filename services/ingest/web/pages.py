"""The upload page, with the two things that differ between installations."""

from collections.abc import Mapping
from pathlib import Path

from shared.web.pages import File, files_of

FOLDER = Path(__file__).parent / "pages"


def page_for(upload_bytes_max: int, review_url: str | None) -> Mapping[str, File]:
    told = {
        "upload_bytes_max": str(upload_bytes_max),
        "review_url": (review_url or "").rstrip("/"),
    }
    return files_of(FOLDER, told)
