"""The console's page, where people sign in who are not, and where traces are looked at."""

from collections.abc import Mapping
from pathlib import Path

from shared.web.pages import File, files_of

FOLDER = Path(__file__).parent / "pages"


def page_for(
    sign_in_url: str | None = None, trace_url: str | None = None
) -> Mapping[str, File]:
    """`trace_url` holds `{trace_id}`, for which the page puts one."""
    told = {"sign_in_url": (sign_in_url or "").rstrip("/"), "trace_url": trace_url or ""}
    return files_of(FOLDER, told)
