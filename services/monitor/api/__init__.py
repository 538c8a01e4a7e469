"""HTTP in and out of the monitor; no rules."""

from starlette.types import ASGIApp

from services.monitor.api.routes import router
from services.monitor.ports import Ports
from shared.web.app import build_app
from shared.web.guard import Authenticator

__all__ = ["build"]


def build(use: Ports, authenticator: Authenticator) -> ASGIApp:
    return build_app(
        "Paperline operations", [router], authenticator=authenticator, state={"ports": use}
    )
