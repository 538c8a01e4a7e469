"""HTTP in and out of the monitor; no rules."""

from starlette.types import ASGIApp

from services.monitor.api.groups import router as groups
from services.monitor.api.operations import router as operations
from services.monitor.api.routes import router
from services.monitor.ports import Ports
from shared.web import audit, session
from shared.web.app import build_app
from shared.web.entrance import Entrance

__all__ = ["build"]


def build(use: Ports, entrance: Entrance) -> ASGIApp:
    return build_app(
        "Paperline operations",
        [router, operations, groups, audit.router, session.signed_in],
        authenticator=entrance.authenticator,
        state={"ports": use, **entrance.state()},
        about="What failed for good and can be sent again, and how all of it is doing.",
    )
