"""The upload page, with what differs between installations."""

from collections.abc import Mapping
from pathlib import Path

from shared.web.pages import File, files_of

FOLDER = Path(__file__).parent / "pages"


def page_for(
    upload_bytes_max: int,
    review_url: str | None,
    *,
    archive_bytes_max: int,
    console_url: str | None = None,
    provider: str = "",
    takes_keys: bool = True,
) -> Mapping[str, File]:
    """`provider`: what people call whom they sign in with; nothing without one."""
    told = {
        "upload_bytes_max": str(upload_bytes_max),
        "archive_bytes_max": str(archive_bytes_max),
        "review_url": (review_url or "").rstrip("/"),
        "console_url": (console_url or "").rstrip("/"),
        "sign_in_with": provider,
        "takes_keys": "yes" if takes_keys else "no",
    }
    return files_of(FOLDER, told)
