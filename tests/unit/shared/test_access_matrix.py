"""Every route of every service against every role: shut, unless this page says that it opens.

The routes are taken from the apps themselves, so a new one is in here from its first day. Who
may do what is written down a second time, from the design and not from the code.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.monitor.api import build as build_monitor
from services.review.api import build as build_review
from services.storage.api import build as build_storage
from shared.access.roles import PERMISSIONS, ROLES
from shared.web.guard import GuardedRoute
from tests.fakes.entrance import entrance
from tests.fakes.keys import SpeakingKeys, key_of
from tests.unit.ingest.desk import Desk
from tests.unit.monitor.world import World as MonitorWorld
from tests.unit.review.world import World as ReviewWorld
from tests.unit.storage.world import World as StorageWorld

SUBMIT, REVIEW, LEAD, VIEW, OPERATE, EDIT, ADMIN = (
    "submitter", "reviewer", "lead", "viewer", "operator", "editor", "admin",
)  # fmt: skip

# Who may do what: the table of the design, with the lead (who settles what reviewers cannot)
# the viewer (who sees how all stands and can do nothing), and the editor (an operator who may
# see what customers sent).
MAY: Mapping[str, set[str]] = {
    "documents:own:create": {SUBMIT, ADMIN},
    "documents:own:read": {SUBMIT, ADMIN},
    "documents:own:cancel": {SUBMIT, ADMIN},
    "documents:own:delete": {SUBMIT, ADMIN},
    "documents:all:read": {REVIEW, LEAD, VIEW, OPERATE, EDIT, ADMIN},
    "documents:all:cancel": {ADMIN},
    "documents:all:delete": {ADMIN},
    "documents:all:reprocess": {ADMIN},
    "documents:all:hold": {OPERATE, EDIT, ADMIN},
    "files:original:read": {REVIEW, LEAD, ADMIN},
    "handover:own:manage": {SUBMIT, ADMIN},
    "handover:all:manage": {ADMIN},
    "webhooks:own:read": {SUBMIT, ADMIN},
    "webhooks:own:manage": {SUBMIT, ADMIN},
    "webhooks:all:read": {VIEW, OPERATE, EDIT, ADMIN},
    "webhooks:all:manage": {ADMIN},
    "review:items:read": {REVIEW, LEAD, ADMIN},
    "review:items:claim": {REVIEW, LEAD, ADMIN},
    "review:items:correct": {REVIEW, LEAD, ADMIN},
    "review:items:approve": {REVIEW, LEAD, ADMIN},
    "review:items:assign": {LEAD, ADMIN},
    "review:items:reopen": {LEAD, ADMIN},
    "dlq:messages:view": {VIEW, OPERATE, EDIT, ADMIN},
    "dlq:messages:replay": {OPERATE, EDIT, ADMIN},
    "dlq:messages:archive": {OPERATE, EDIT, ADMIN},
    "dlq:messages:edit": {EDIT, ADMIN},
    "dlq:messages:purge": {ADMIN},
    "dlq:payload:view": {EDIT, ADMIN},
    "dlq:log:view": {EDIT, ADMIN},
    "queues:all:pause": {OPERATE, EDIT, ADMIN},
    "ops:overview:read": {VIEW, OPERATE, EDIT, ADMIN},
    "audit:own:read": {REVIEW, LEAD, ADMIN},
    "audit:all:read": {LEAD, VIEW, OPERATE, EDIT, ADMIN},
    "keys:all:manage": {ADMIN},
    "settings:all:write": {ADMIN},
}
# The files of pages, which tell nothing, and the way in. Everything else asks who is there.
PUBLIC = {
    *(("GET", "/"), ("GET", "/page/{name}"), ("GET", "/docs.css"), ("POST", "/v1/session")),
    # There to the identity provider, and back.
    *(("POST", "/v1/sign-in"), ("GET", "/v1/sign-in/return")),
    # Signed: they open what a caller with a key had them made for.
    *(("GET", "/v1/links/results"), ("GET", "/v1/links/exports")),
}
# What a role that nobody knows, from a newer version perhaps, may do: nothing.
WITHOUT = (*ROLES, "unheard-of")


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    permissions: frozenset[str]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def is_public(self) -> bool:
        return not self.permissions

    def opens_for(self, role: str) -> bool:
        allowed = {permission for permission, roles in MAY.items() if role in roles}
        return bool(self.permissions & (allowed | {"*"}))

    def filled(self, ids: Mapping[str, str]) -> str:
        path = self.path
        while "{" in path:
            name = path.partition("{")[2].partition("}")[0]
            path = path.replace(f"{{{name}}}", ids.get(name, str(uuid4())))
        return path


REVOKED, EXPIRED = "who-had-left", "whose-time-was-over"


def apps() -> Mapping[str, Any]:
    desk, keys = Desk(), SpeakingKeys()
    transport: Any = desk.client._transport
    for known in (keys, desk.keys):
        known.revoked.add(REVOKED)
        known.expired.add(EXPIRED)
    return {
        "ingest": transport.app,
        "review": build_review(ReviewWorld().ports, entrance(keys)),
        "monitor": build_monitor(MonitorWorld().ports, entrance(keys)),
        "storage": build_storage(StorageWorld().outlets, entrance(keys)),
    }


def routes_of(app: Any) -> Sequence[Route]:  # noqa: ANN401 -- behind a Gate
    return [
        Route(method, one.path, one.permissions)
        for one in _leaves(app._app.router.routes)
        for method in sorted(one.methods or ())
    ]


def _leaves(routes: Sequence[Any]) -> Iterator[GuardedRoute]:
    for one in routes:
        if hasattr(one, "original_router"):
            yield from _leaves(one.original_router.routes)
        else:
            assert isinstance(one, GuardedRoute), f"{one} is guarded by nobody"
            yield one


SERVICES = ("ingest", "review", "monitor", "storage")
APPS = apps()
every_route = pytest.mark.parametrize(
    ("service", "route"),
    [(service, route) for service in SERVICES for route in routes_of(APPS[service])],
    ids=str,
)


def client_of(service: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(APPS[service], raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{service}")


async def status_of(service: str, route: Route, headers: Mapping[str, str]) -> int:
    async with client_of(service) as client:
        path = route.filled({})
        answer = await client.request(route.method, path, headers=dict(headers))
    if answer.status_code in (401, 403):
        assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code


def test_the_roles_are_those_of_the_design() -> None:
    assert set(MAY) == PERMISSIONS
    for role, permissions in ROLES.items():
        assert permissions == {one for one, roles in MAY.items() if role in roles}, role


@pytest.mark.parametrize("service", SERVICES)
def test_the_routes_are_found_and_ask_for_permissions_that_exist(service: str) -> None:
    found = routes_of(APPS[service])

    assert len(found) > 5
    assert {one for route in found for one in route.permissions} <= PERMISSIONS | {"*"}


@every_route
async def test_without_a_key_that_lives_only_what_is_listed_opens(
    service: str, route: Route
) -> None:
    shown = [
        {},
        {"Authorization": "Bearer nobody"},
        {"Authorization": "Basic YTpi"},
        # While they lived, they opened everything.
        key_of(REVOKED, ADMIN),
        key_of(EXPIRED, ADMIN),
    ]

    answers = [await status_of(service, route, headers) for headers in shown]

    is_listed = (route.method, route.path) in PUBLIC
    assert route.is_public == is_listed
    assert is_listed or answers == [401] * len(shown)


@every_route
async def test_a_route_opens_for_its_roles_and_for_no_other(service: str, route: Route) -> None:
    if route.is_public:
        return
    opened = {
        role: await status_of(service, route, key_of("nobody-in-particular", role))
        for role in WITHOUT
    }

    assert 401 not in opened.values()
    assert {role for role, status in opened.items() if status != 403} == {
        role for role in WITHOUT if route.opens_for(role)
    }
