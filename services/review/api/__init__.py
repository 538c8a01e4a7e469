"""HTTP in and out of the review service; no rules. Whatever a page can do, a bot can."""

from starlette.types import ASGIApp

from services.review.api import claims, decisions, fields, insight, items, people, queue
from services.review.api import pages as document_pages
from services.review.ports import Ports
from services.review.web.pages import page_for
from shared.web import audit, session
from shared.web import pages as desk
from shared.web.app import build_app
from shared.web.entrance import Entrance

__all__ = ["build"]


def build(use: Ports, entrance: Entrance, *, sign_in_url: str | None = None) -> ASGIApp:
    return build_app(
        "Paperline review",
        [
            queue.router,
            items.router,
            document_pages.router,
            claims.router,
            fields.router,
            decisions.router,
            people.router,
            insight.router,
            audit.router,
            session.signed_in,
            desk.router,
        ],
        authenticator=entrance.authenticator,
        state={"ports": use, "page": page_for(sign_in_url), **entrance.state()},
        about="What a machine was unsure of, for a person to look at and decide.",
    )
