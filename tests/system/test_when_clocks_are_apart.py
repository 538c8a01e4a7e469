"""The clocks of the services are hours apart, in each direction: every document ends as it does
with right ones, because decisions go by the clock of the database."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deploy.verify.verifying import orders_for, verify
from tests.eventually import eventually
from tests.faketime import ABSENT, faketime, start_skewed
from tests.system.client import Client
from tests.system.invoices import batch_of
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.verdict import broken, news, sources

pytestmark = pytest.mark.slow
AHEAD, BEHIND = "+2h", "-2h"
DOCUMENTS = 12
SKEWS: tuple[Mapping[str, str], ...] = (
    {"ingest": AHEAD, "extractor": BEHIND, "storage": AHEAD, "review": BEHIND},
    {"ingest": BEHIND, "extractor": AHEAD, "review": AHEAD, "monitor": BEHIND},
    {"monitor": AHEAD, "storage": BEHIND},
)
ENDS = """
SELECT status, stage, result_version, review_status, count(*)
  FROM ingest.documents WHERE starts_with(filename, $1)
 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = faketime(tmp_path_factory.mktemp("faketime"))
    if found is None:
        pytest.skip(ABSENT)
    return found


@asynccontextmanager
async def apart(stack: Stack, skews: Mapping[str, str], library: Path) -> AsyncIterator[None]:
    try:
        for service, skew in skews.items():
            await start_skewed(stack, service, skew, library)
        yield
    finally:
        for service in skews:
            await stack.start(service)


async def ends(client: Client, records: Records) -> list[tuple[object, ...]]:
    """How a batch ends of which the first is approved by a person."""
    batch = batch_of(DOCUMENTS)
    handed = await client.hand_in_all(batch)
    await eventually(lambda: records.has_ended(batch.name, count=DOCUMENTS), within_s=90)
    await records.require_each_once(batch.name, count=DOCUMENTS)
    await client.review_item(handed[0])
    assert (await client.approve(handed[0])).is_success

    async def is_approved() -> bool:
        return bool((await client.document(handed[0]))["review"] == "approved")

    await eventually(is_approved, within_s=30, every_s=0.1)
    await eventually(records.is_quiet, within_s=30, every_s=0.25)
    return [tuple(row) for row in await records.rows(ENDS, batch.name)]


@pytest.mark.parametrize(
    "skews", SKEWS, ids=lambda one: " ".join(f"{k}{v}" for k, v in one.items())
)
async def test_every_document_ends_as_it_does_with_right_ones(
    skews: Mapping[str, str], client: Client, stack: Stack, records: Records, library: Path
) -> None:
    right = await ends(client, records)
    orders = orders_for(at_rest=True, deep=False, say=False)
    before = broken(await verify(sources(stack), orders))

    async with apart(stack, skews, library):
        found = await ends(client, records)
        # With these clocks still: a lease or an end in the future would be told.
        broken_now = news(broken(await verify(sources(stack), orders)), before)

    assert found == right
    assert broken_now == {}
