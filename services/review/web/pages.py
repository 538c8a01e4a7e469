"""The desk's page, and where people sign in who are not."""

from collections.abc import Mapping
from pathlib import Path

from shared.web.pages import File, files_of

FOLDER = Path(__file__).parent / "pages"


def page_for(sign_in_url: str | None) -> Mapping[str, File]:
    return files_of(FOLDER, {"sign_in_url": (sign_in_url or "").rstrip("/")})
