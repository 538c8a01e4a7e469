"""HTTP in and out of ingest; no rules. Which error is which status stands in `shared/web`."""

from starlette.types import ASGIApp

from services.ingest.api.documents import UPLOAD_PATHS, router
from services.ingest.ports import Ports
from shared.web.app import build_app
from shared.web.gate import Limits
from shared.web.guard import Authenticator

# What a form adds around its file: boundaries, headers, a few fields.
FORM_BYTES = 64 * 1024

__all__ = ["build"]


def build(
    use: Ports, authenticator: Authenticator, *, upload_s: float, requests_max: int
) -> ASGIApp:
    limits = Limits(
        upload_bytes_max=use.upload_bytes_max + FORM_BYTES,
        upload_paths=UPLOAD_PATHS,
        upload_s=upload_s,
        requests_max=requests_max,
    )
    return build_app(
        "Paperline ingest",
        [router],
        authenticator=authenticator,
        state={"ports": use},
        limits=limits,
    )
