"""Who am I, and what may I do: a page asks this first and hides what would be refused."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel

from shared.web.guard import POLICY, CurrentCaller, any_caller, guarded_router

router = guarded_router()


class Allowed(BaseModel):
    method: str
    path: str


class Me(BaseModel):
    owner_id: str
    key_id: str
    name: str
    roles: list[str]
    permissions: list[str]
    routes: list[Allowed]


@router.get("/v1/me", openapi_extra=any_caller())
async def get_me(request: Request, caller: CurrentCaller) -> Me:
    """Who you are here, and what that opens."""
    return Me(
        owner_id=caller.owner_id,
        key_id=caller.key_id,
        name=caller.called or caller.owner_id,
        roles=sorted(caller.roles),
        permissions=sorted(caller.permissions),
        routes=list(_allowed(request.app, caller.permissions | {"*"})),
    )


def _allowed(app: FastAPI, permissions: frozenset[str]) -> Iterator[Allowed]:
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    for path, operations in paths.items():
        for method, operation in operations.items():
            needed = operation[POLICY]
            if not needed or permissions & set(needed):
                yield Allowed(method=method.upper(), path=path)
