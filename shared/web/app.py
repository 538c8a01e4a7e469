"""One way to make an API, so that no service forgets a limit, a header or the guard.

The framework's own pages stay off: they load scripts from elsewhere. The description, and the
page that is made from it, are served to any known caller.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.types import ASGIApp

from shared.observability.exposition import start_routes_at_zero
from shared.web.description import Described
from shared.web.docs import router as docs
from shared.web.gate import Gate, Limits
from shared.web.guard import Authenticator, GuardedRoute, any_caller, guarded_router
from shared.web.me import router as me
from shared.web.messages import router as messages
from shared.web.problems import answer_with_problems

description = guarded_router()


def build_app(
    title: str,
    routers: Sequence[APIRouter],
    *,
    authenticator: Authenticator,
    state: Mapping[str, object],
    about: str = "",
    limits: Limits | None = None,
) -> ASGIApp:
    """`state` is what the routes find in `request.app.state`, such as their ports; `sessions`
    and `rates` there let browsers in and keep each key to its rate, `provider` is described as
    one whose tokens open too, with `sign_ins` people sign in there, and `refusals` hears of
    those who may not do what they tried."""
    app = Described(
        title=title,
        description=about,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        # Spans and counts are the gate's.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.router.route_class = GuardedRoute
    answer_with_problems(app)
    app.state.authenticator = authenticator
    app.state.sessions = app.state.rates = app.state.provider = app.state.sign_ins = None
    app.state.refusals = None
    app.state.key_sign_in = True
    for name, value in state.items():
        setattr(app.state, name, value)
    for router in (*routers, me, description, docs, messages):
        if not issubclass(router.route_class, GuardedRoute):
            raise TypeError(f"make the routers of {title} with guarded_router()")
        # Not included as routers, which the framework would search one after the other, twice.
        app.router.routes.extend(router.routes)
    start_routes_at_zero(
        (route.path, method)
        for route in app.router.routes
        if isinstance(route, GuardedRoute)
        for method in route.methods or ()
    )
    return Gate(app, limits or Limits())


@description.get("/openapi.json", openapi_extra=any_caller(), include_in_schema=False)
async def describe(request: Request) -> dict[str, Any]:
    app: FastAPI = request.app
    return app.openapi()
