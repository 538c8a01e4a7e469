"""HTTP in and out of the review service; no rules. Whatever a page can do, a bot can."""

from starlette.types import ASGIApp

from services.review.api.routes import router
from services.review.ports import Ports
from shared.web.app import build_app
from shared.web.guard import Authenticator

__all__ = ["build"]


def build(use: Ports, authenticator: Authenticator) -> ASGIApp:
    return build_app(
        "Paperline review", [router], authenticator=authenticator, state={"ports": use}
    )
