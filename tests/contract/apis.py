"""What the four APIs say of themselves, each built on fakes."""

from typing import Any

from starlette.types import ASGIApp

from services.monitor.api import build as build_monitor
from services.review.api import build as build_review
from services.storage.api import build as build_storage
from tests.fakes.entrance import entrance
from tests.unit.ingest.desk import Desk
from tests.unit.monitor.world import World as MonitorWorld
from tests.unit.review.world import World as ReviewWorld
from tests.unit.storage.world import World as StorageWorld

Json = dict[str, Any]


def _described(app: Any) -> Json:  # noqa: ANN401 -- what stands behind the gate
    document: Json = app._app.openapi()
    return document


def _apps() -> dict[str, ASGIApp]:
    return {
        "ingest": Desk().app,
        "review": build_review(ReviewWorld().ports, entrance()),
        "monitor": build_monitor(MonitorWorld().ports, entrance()),
        "storage": build_storage(StorageWorld().outlets, entrance()),
    }


APPS = _apps()
DOCUMENTS = {name: _described(app) for name, app in APPS.items()}
