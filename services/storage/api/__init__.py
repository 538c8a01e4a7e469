"""HTTP in and out of storage: results, exports, hand-over; no rules."""

from starlette.types import ASGIApp

from services.storage.api import consumers, exports, links, results
from services.storage.ports.outlets import Outlets
from shared.web import audit, session
from shared.web.app import build_app
from shared.web.entrance import Entrance
from shared.web.streams import Streams

__all__ = ["build"]


def build(use: Outlets, entrance: Entrance) -> ASGIApp:
    return build_app(
        "Paperline storage",
        [
            results.router,
            links.router,
            exports.router,
            consumers.router,
            audit.router,
            session.signed_in,
        ],
        authenticator=entrance.authenticator,
        state={
            "outlets": use,
            "streams": Streams(use.limits.streams_max),
            **entrance.state(),
        },
        about="What was read and what people made of it, to look at and to take away.",
    )
