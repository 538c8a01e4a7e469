"""Who is whose part: ingest's table and its fake say the same."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.splitting import Child, Family
from services.ingest.handlers import delete_document, record_facts, reprocess_document
from services.ingest.ports import Ports
from shared.contracts.body import DocumentFact
from tests import builders
from tests.broker.ingest_world import ingest_world, new_document
from tests.conformance.database import database
from tests.unit.ingest.world import World

ONE, TWO = uuid4(), uuid4()
CHILDREN = (Child(ONE, 0, [1, 2]), Child(TWO, 1, [3]))


@dataclass(frozen=True, slots=True)
class House:
    use: Ports

    async def accepted(self, owner: str = "acme") -> UUID:
        document = new_document(owner, self.use.clock.now())
        async with self.use.ledger.unit() as unit:
            await self.use.releases.take_in(unit, [document], [])
        return document.document_id

    async def keep(self, parent: UUID, *children: Child) -> set[UUID]:
        async with self.use.ledger.unit() as unit:
            return await self.use.splits.keep_children(unit, parent, children)

    async def show(self, parent: UUID) -> bool:
        async with self.use.ledger.unit() as unit:
            return await self.use.splits.show_split(unit, parent)

    async def told(self, *facts: DocumentFact) -> None:
        await record_facts([builders.job(fact) for fact in facts], self.use)

    async def reopen(self, document_id: UUID) -> None:
        assert await reprocess_document(
            document_id, owner_id=None, actor="acme", use=self.use, force=True
        )

    async def original_of(self, document_id: UUID) -> UUID | None:
        return (await self.use.splits.find_family(document_id)).original_id


@pytest.fixture(params=["memory", "postgres"])
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    if request.param == "memory":
        yield House(World().use)
        return
    async with ingest_world(database()) as world:
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


async def test_a_duplicate_names_its_original_for_as_long_as_there_is_one(house: House) -> None:
    strangers = await house.accepted(owner="globex")
    original, copy, failed = [await house.accepted() for _ in range(3)]
    await house.told(
        builders.stored(document_id=strangers), builders.failed(document_id=failed)
    )
    await house.told(builders.stored(document_id=copy, duplicate=True))

    # Facts come in any order: its original is not known to have ended.
    assert await house.original_of(copy) is None
    await house.told(builders.stored(document_id=original))

    assert await house.original_of(copy) == original
    assert await house.original_of(original) is None
    await house.reopen(original)
    assert await house.original_of(copy) == original
    await delete_document(original, owner_id=None, actor="acme", use=house.use)
    assert await house.original_of(copy) is None


async def test_what_is_deleted_shows_no_split(house: House) -> None:
    parent = await house.accepted()

    assert await house.show(parent)
    await delete_document(parent, owner_id=None, actor="acme", use=house.use)

    assert not await house.show(parent)
    assert not await house.show(uuid4())
