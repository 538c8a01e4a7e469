"""HTTP in and out of ingest; no rules. Which error is which status stands in `shared/web`."""

from dataclasses import dataclass

from starlette.types import ASGIApp

from services.ingest.api import batches, endings, events, listing, logs
from services.ingest.api.documents import UPLOAD_PATHS, router
from services.ingest.handlers.follow import Feed
from services.ingest.ports import Ports
from services.ingest.web import pages
from shared.web import session
from shared.web.app import build_app
from shared.web.cursors import Cursors
from shared.web.gate import Limits
from shared.web.guard import Authenticator, SessionKeeper
from shared.web.rates import Rates

# What a form adds around its file: boundaries, headers, a few fields.
FORM_BYTES = 64 * 1024

__all__ = ["Front", "build"]


@dataclass(frozen=True, slots=True)
class Front:
    """What the routes need of the web's side, beside the keys."""

    cursors: Cursors
    feed: Feed
    sessions: SessionKeeper | None = None
    rates: Rates | None = None
    # Where the pages of the review are; without it the upload page has no links to them.
    review_url: str | None = None


def build(
    use: Ports,
    authenticator: Authenticator,
    front: Front,
    *,
    upload_s: float,
    requests_max: int,
) -> ASGIApp:
    limits = Limits(
        upload_bytes_max=use.upload_bytes_max + FORM_BYTES,
        upload_paths=UPLOAD_PATHS,
        upload_s=upload_s,
        requests_max=requests_max,
    )
    return build_app(
        "Paperline ingest",
        [
            batches.router,
            listing.router,
            endings.router,
            events.router,
            logs.router,
            router,
            session.router,
            pages.router,
        ],
        authenticator=authenticator,
        state={
            "ports": use,
            "cursors": front.cursors,
            "feed": front.feed,
            "sessions": front.sessions,
            "rates": front.rates,
            "page": pages.page_for(use.upload_bytes_max, front.review_url),
        },
        limits=limits,
    )
