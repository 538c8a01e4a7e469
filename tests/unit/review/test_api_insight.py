"""What the service tells of its own work, over HTTP."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.review.api import build
from services.review.api.insight import GateView
from services.review.domain.edits import Change
from services.review.domain.insight import Counted
from services.review.handlers.claiming import claim_item
from services.review.handlers.correcting import Correction, correct_fields
from services.review.handlers.deciding import approve_item
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


async def _decided(world: World, seconds: float) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)
    world.clock.advance(seconds)
    await approve_item(item.document_id, "anna", item.version, world.ports)


async def test_stats_tell_the_pace_and_what_is_left(
    world: World, client: httpx.AsyncClient
) -> None:
    await _decided(world, 20)
    await _decided(world, 40)
    await world.opened()

    stats = (await client.get("/v1/stats", headers=ANNA)).json()

    assert (stats["open"], stats["overdue"], stats["today"]) == (1, 0, 2)
    assert stats["all"]["median_s"] == pytest.approx(30)
    assert [(one["reviewer"], one["decisions"]) for one in stats["reviewers"]] == [("anna", 2)]


async def test_what_is_corrected_most_is_called_as_on_the_form(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    await claim_item(item.document_id, "anna", world.ports)
    changes = [Change("set", "seller.vat_id", "DE123456788")]
    await correct_fields(
        Correction(item.document_id, "anna", item.version, changes), world.ports
    )
    await approve_item(item.document_id, "anna", item.version + 1, world.ports, override="Ok.")

    stats = (await client.get("/v1/stats", headers=ANNA)).json()

    corrected = [(one["field"], one["label"], one["corrections"]) for one in stats["fields"]]
    assert corrected == [("seller.vat_id", "Seller VAT ID", 1)]


async def test_before_anything_was_decided_there_is_nothing_to_tell(
    client: httpx.AsyncClient,
) -> None:
    stats = (await client.get("/v1/stats", headers=ANNA)).json()
    calibration = (await client.get("/v1/calibration", headers=ANNA)).json()

    assert (stats["all"], stats["reviewers"], stats["fields"]) == (None, [], [])
    assert calibration == {"values": 0, "error": None, "bins": [], "curve": []}


async def test_why_nothing_is_automatic_is_told_with_a_what_if(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.opened()

    as_is = (await client.get("/v1/straight-through", headers=ANNA)).json()
    low = (await client.get("/v1/straight-through?threshold=0.5", headers=ANNA)).json()
    wrong = await client.get("/v1/straight-through?threshold=1.5", headers=ANNA)

    assert (as_is["enabled"], as_is["threshold"]) == (False, 0.97)
    assert as_is["passing"]["items"] == 1
    assert (low["threshold"], low["passing"]["would_pass"]) == (0.5, 1)
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    ("field", "label"),
    [("payment.accounts[].iban", "IBAN"), ("seller.name", "Seller name"), (None, None)],
)
def test_a_gate_is_called_as_its_field_is_on_the_form(
    field: str | None, label: str | None
) -> None:
    assert GateView.of(Counted("unsure", field, 1, 0)).label == label


async def test_sureness_is_shown_in_bins_and_as_a_curve(
    world: World, client: httpx.AsyncClient
) -> None:
    await _decided(world, 20)

    told = (await client.get("/v1/calibration", headers=ANNA)).json()

    assert [one["values"] for one in told["bins"]] == [told["values"]]
    assert told["curve"] == [{"threshold": 0.9, "coverage": 1.0, "accuracy": 1.0}]
    assert told["error"] == pytest.approx(0.1)


@pytest.mark.parametrize("path", ["/v1/stats", "/v1/straight-through", "/v1/calibration"])
async def test_a_stranger_and_an_operator_learn_nothing_of_it(
    client: httpx.AsyncClient, path: str
) -> None:
    stranger = await client.get(path)
    operator = await client.get(path, headers=key_of("olga", "operator"))

    assert (stranger.status_code, operator.status_code) == (401, 403)
