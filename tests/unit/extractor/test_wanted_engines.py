"""A document that somebody wants read by one engine."""

import pytest

from tests import builders
from tests.unit.extractor.world import World


@pytest.mark.parametrize(
    ("media_type", "named"),
    [("application/pdf", "offline"), ("image/png", "offline"), ("application/xml", None)],
)
async def test_it_is_read_by_whom_somebody_wants_if_that_one_can(
    media_type: str, named: str | None
) -> None:
    world = World()
    order = builders.extract_document(force=True, engine="offline", media_type=media_type)

    await world.deliver(builders.job(order))

    assert world.engine.named == named
