"""What is somebody else's is as absent as what never was, on every route that takes an id.

The routes are taken from the apps, as those of the matrix. Review has no owners: whoever may
see its items sees those of everybody, and to all others the matrix shuts it.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from tests import builders
from tests.unit.ingest.desk import STRANGER, SUBMITTER, Desk
from tests.unit.shared.test_access_matrix import APPS, SUBMIT, Route, routes_of
from tests.unit.storage.office import OWNER, Office
from tests.unit.storage.office import STRANGER as ANOTHER

IDS = ("{document_id}", "{batch_id}", "{webhook_id}")
OF_SOMEBODY = [
    route
    for route in routes_of(APPS["ingest"])
    if any(name in route.path for name in IDS) and route.opens_for(SUBMIT)
]


@pytest.fixture
async def desk() -> Desk:
    return Desk()


async def handed_in(desk: Desk) -> Mapping[str, str]:
    """One thing of each kind, and all of them their owner's."""
    form = [("files", ("a.pdf", builders.PDF, "application/pdf"))]
    batch = await desk.client.post("/v1/batches", files=form, headers=SUBMITTER)
    wanted = {"url": "https://erp.example.com/hook", "events": ["document.ended"]}
    webhook = await desk.client.post("/v1/webhooks", json=wanted, headers=SUBMITTER)
    assert (batch.status_code, webhook.status_code) == (202, 201)
    return {
        "document_id": await desk.accepted(),
        "batch_id": batch.json()["batch_id"],
        "webhook_id": webhook.json()["webhook_id"],
    }


@pytest.mark.parametrize("route", OF_SOMEBODY, ids=str)
async def test_what_belongs_to_somebody_else_is_as_absent_as_what_never_was(
    desk: Desk, route: Route
) -> None:
    ids = await handed_in(desk)
    headers = {**STRANGER, "If-Match": '"1"'}
    body: Any = {} if route.method in ("POST", "PATCH") else None

    theirs, never = [
        await desk.client.request(route.method, route.filled(one), headers=headers, json=body)
        for one in (ids, {})
    ]

    assert (theirs.status_code, never.status_code) == (404, 404)
    assert {**theirs.json(), "trace_id": ""} == {**never.json(), "trace_id": ""}


def test_every_route_with_an_id_of_a_client_is_among_those() -> None:
    assert len(OF_SOMEBODY) >= 15


OF_AN_OWNER = [
    route
    for route in routes_of(APPS["storage"])
    # A name of one's own may be taken, whoever else has one like it.
    if "{" in route.path and route.opens_for(SUBMIT) and route.method != "PUT"
]


async def kept(office: Office) -> Mapping[str, str]:
    """One thing of each kind that storage has, and all of them their owner's."""
    document_id = await office.approved()
    export = await office.made()
    await office.client.put("/v1/consumers/theirs", headers=OWNER)
    batch = (await office.post("/v1/consumers/theirs/batches")).json()
    return {
        "document_id": str(document_id),
        "version": "1",
        "export_id": export["export_id"],
        "name": "theirs",
        "batch_id": batch["batch_id"],
    }


@pytest.mark.parametrize("route", OF_AN_OWNER, ids=str)
async def test_what_storage_has_of_somebody_else_is_as_absent_as_what_never_was(
    route: Route,
) -> None:
    office = Office()
    ids = await kept(office)
    never = {"version": "1", "name": "nobodys"}
    body: Any = {} if route.method == "POST" else None

    to_its_owner, *to_a_stranger = [
        await office.client.request(route.method, route.filled(one), headers=who, json=body)
        for who, one in ((OWNER, ids), (ANOTHER, ids), (ANOTHER, never))
    ]

    assert to_its_owner.status_code != 404
    theirs, nothing = to_a_stranger
    assert (theirs.status_code, nothing.status_code) == (404, 404)
    assert {**theirs.json(), "trace_id": ""} == {**nothing.json(), "trace_id": ""}


def test_every_route_of_storage_with_an_id_is_among_those() -> None:
    assert len(OF_AN_OWNER) >= 15
