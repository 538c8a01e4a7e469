"""HTTP in and out of ingest; no rules. Which error is which status stands in `shared/web`."""

from dataclasses import dataclass

from starlette.types import ASGIApp

from services.ingest.api import (
    batch_results,
    batches,
    deliveries,
    endings,
    events,
    holds,
    listing,
    logs,
    webhooks,
)
from services.ingest.api.documents import UPLOAD_PATHS, router, uploads
from services.ingest.api.remembering import Memory
from services.ingest.handlers.follow import Feed
from services.ingest.handlers.retain import Keeping
from services.ingest.ports import Ports, Quotas
from services.ingest.web.pages import page_for
from shared.access.provider import Provider
from shared.clock import Clock
from shared.web import audit, pages, session, sign_in
from shared.web.app import build_app
from shared.web.audit import ReadableLog
from shared.web.cursors import Cursors
from shared.web.gate import Limits
from shared.web.guard import Authenticator, SessionKeeper
from shared.web.rates import Rates
from shared.web.sign_in import SignIns

# What a form adds around its file: boundaries, headers, a few fields.
FORM_BYTES = 64 * 1024

ROUTERS = [
    # Uploads first: whoever stands further back is looked for longer.
    uploads,
    router,
    batches.router,
    batch_results.router,
    listing.router,
    endings.router,
    holds.router,
    events.router,
    logs.router,
    webhooks.router,
    deliveries.router,
    audit.router,
    session.router,
    sign_in.router,
    pages.router,
]

__all__ = ["Front", "build"]


@dataclass(frozen=True, slots=True)
class Front:
    """What the routes need of the web's side, beside the keys."""

    cursors: Cursors
    feed: Feed
    # How far batches are.
    batch_feed: Feed
    # All files of one batch together, and how long they may take.
    batch_bytes_max: int = 1 << 30
    batch_s: float = 1_800
    # Of one archive, as the page says it.
    archive_bytes_max: int = 100 << 20
    # For how long what was said of an ended document is remembered, and how much of it.
    detail_cache_ttl_s: float = 300
    detail_cache_bytes_max: int = 32 << 20
    sessions: SessionKeeper | None = None
    rates: Rates | None = None
    # Without them no key has a quota.
    quotas: Quotas | None = None
    # Described only: whose tokens open too.
    provider: Provider | None = None
    audit: ReadableLog | None = None
    # With it people sign in with the provider, too, which the page calls by this label.
    sign_ins: SignIns | None = None
    sign_in_label: str = ""
    key_sign_in: bool = True
    # Without it nothing is erased by its age.
    keeping: Keeping | None = None
    # Where the pages of the review are; without it the upload page has no links to them.
    review_url: str | None = None
    # Where the operators' console is; the same.
    console_url: str | None = None

    def memory(self, clock: Clock) -> Memory:
        return Memory(
            clock, ttl_s=self.detail_cache_ttl_s, bytes_max=self.detail_cache_bytes_max
        )


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
        bulk_bytes_max=front.batch_bytes_max + batches.FORM_BYTES,
        bulk_paths=frozenset({batches.PATH}),
        bulk_s=front.batch_s,
        requests_max=requests_max,
    )
    return build_app(
        "Paperline ingest",
        ROUTERS,
        authenticator=authenticator,
        state={
            "ports": use,
            "cursors": front.cursors,
            "feed": front.feed,
            "memory": front.memory(use.clock),
            "batch_feed": front.batch_feed,
            "sessions": front.sessions,
            "rates": front.rates,
            "quotas": front.quotas,
            "provider": front.provider,
            "audit": front.audit,
            "keeping": front.keeping,
            "sign_ins": front.sign_ins,
            "key_sign_in": front.key_sign_in,
            "page": page_for(
                use.upload_bytes_max,
                front.review_url,
                console_url=front.console_url,
                archive_bytes_max=front.archive_bytes_max,
                provider=front.sign_in_label if front.sign_ins else "",
                takes_keys=front.key_sign_in,
            ),
        },
        about="Documents go in; their status, their events and what was read come out.",
        limits=limits,
    )
