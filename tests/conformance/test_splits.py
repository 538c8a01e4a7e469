"""Who is whose part: ingest's table and its fake say the same."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.splitting import Child, Family
from services.ingest.handlers import delete_document
from services.ingest.ports import Ports
from tests.broker.database import own_database
from tests.broker.ingest_world import ingest_world, new_document
from tests.unit.ingest.world import World

ONE, TWO = uuid4(), uuid4()
CHILDREN = (Child(ONE, 0, [1, 2]), Child(TWO, 1, [3]))


@dataclass(frozen=True, slots=True)
class House:
    use: Ports

    async def accepted(self) -> UUID:
        document = new_document("acme", self.use.clock.now())
        async with self.use.ledger.unit() as unit:
            await self.use.documents.insert_documents(unit, [document])
        return document.document_id

    async def keep(self, parent: UUID, *children: Child) -> set[UUID]:
        async with self.use.ledger.unit() as unit:
            return await self.use.splits.keep_children(unit, parent, children)

    async def show(self, parent: UUID) -> bool:
        async with self.use.ledger.unit() as unit:
            return await self.use.splits.show_split(unit, parent)


@pytest.fixture(params=["memory", "postgres"])
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    if request.param == "memory":
        yield House(World().use)
        return
    async with own_database() as url, ingest_world(url) as world:
        yield House(world.use)


async def test_children_are_new_once(house: House) -> None:
    parent = await house.accepted()

    first = await house.keep(parent, *CHILDREN)
    again = await house.keep(parent, CHILDREN[0], Child(uuid4(), 2, [4]))

    assert first == {ONE, TWO}
    assert len(again) == 1
    assert not again & first


async def test_a_file_and_its_parts_know_each_other(house: House) -> None:
    parent = await house.accepted()
    await house.keep(parent, *reversed(CHILDREN))

    assert await house.use.splits.find_family(parent) == Family(None, [], [ONE, TWO])
    assert await house.use.splits.find_family(ONE) == Family(parent, [1, 2], [])
    assert await house.use.splits.find_family(uuid4()) == Family(None, [], [])


async def test_what_is_deleted_shows_no_split(house: House) -> None:
    parent = await house.accepted()

    assert await house.show(parent)
    await delete_document(parent, owner_id=None, actor="acme", use=house.use)

    assert not await house.show(parent)
    assert not await house.show(uuid4())
