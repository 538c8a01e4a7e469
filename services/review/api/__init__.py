"""HTTP in and out of the review service; no rules. Whatever a page can do, a bot can."""

from starlette.types import ASGIApp

from services.review.api.routes import router
from services.review.ports import Ports
from shared.web import session
from shared.web.app import build_app
from shared.web.entrance import Entrance

__all__ = ["build"]


def build(use: Ports, entrance: Entrance) -> ASGIApp:
    return build_app(
        "Paperline review",
        [router, session.signed_in],
        authenticator=entrance.authenticator,
        state={"ports": use, **entrance.state()},
        about="What a machine was unsure of, for a person to look at and decide.",
    )
