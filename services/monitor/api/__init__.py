"""HTTP in and out of the monitor; no rules."""

from starlette.types import ASGIApp

from services.monitor.api.conservation import router as conservation
from services.monitor.api.documents import router as documents
from services.monitor.api.groups import router as groups
from services.monitor.api.operations import router as operations
from services.monitor.api.overview import router as overview
from services.monitor.api.queues import router as queues
from services.monitor.api.routes import router
from services.monitor.handlers.refusing import note_refusal
from services.monitor.ports import Ports
from services.monitor.web.pages import page_for
from shared.web import audit, session
from shared.web import pages as console
from shared.web.app import build_app
from shared.web.entrance import Entrance
from shared.web.guard import Caller

__all__ = ["build"]

PATH_CHARS_MAX = 300


def build(
    use: Ports,
    entrance: Entrance,
    *,
    sign_in_url: str | None = None,
    trace_url: str | None = None,
) -> ASGIApp:
    async def note(caller: Caller, method: str, path: str) -> None:
        tried = f"{method} {path}"[:PATH_CHARS_MAX]
        await note_refusal(caller.owner_id, "refused", tried, "", "forbidden", use)

    return build_app(
        "Paperline operations",
        [
            router,
            overview,
            operations,
            groups,
            queues,
            documents,
            conservation,
            audit.router,
            session.signed_in,
            console.router,
        ],
        authenticator=entrance.authenticator,
        state={
            "ports": use,
            "refusals": note,
            "page": page_for(sign_in_url, trace_url),
            **entrance.state(),
        },
        about="What failed for good and can be sent again, and how all of it is doing.",
    )
