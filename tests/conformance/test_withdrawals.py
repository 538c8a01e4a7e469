"""Withdrawn documents: the extractor and storage remember them in the same way."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.extractor.adapters.withdrawals import PostgresWithdrawals as ExtractorWithdrawals
from services.extractor.ports import Withdrawals
from services.storage.adapters.withdrawals import PostgresWithdrawals as StorageWithdrawals
from shared.ledger.port import Ledger
from tests.broker.service_schema import service_schema
from tests.conformance.database import database
from tests.fakes.ledger import FakeLedger
from tests.fakes.withdrawals import InMemoryWithdrawals

Noted = tuple[Withdrawals, Ledger]


@pytest.fixture(params=["memory", "extractor", "storage"])
async def noted(request: pytest.FixtureRequest) -> AsyncIterator[Noted]:
    if request.param == "memory":
        yield InMemoryWithdrawals(), FakeLedger()
        return
    in_postgres: dict[str, type[Withdrawals]] = {
        "extractor": ExtractorWithdrawals,
        "storage": StorageWithdrawals,
    }
    async with service_schema(database(), request.param, []) as schema:
        yield in_postgres[request.param](), schema.ledger


async def test_only_what_was_noted_is_withdrawn(noted: Noted) -> None:
    withdrawals, ledger = noted
    gone, here = uuid4(), uuid4()

    async with ledger.unit() as unit:
        await withdrawals.note_withdrawn(unit, [gone], "cancelled")

    async with ledger.unit() as unit:
        assert await withdrawals.find_withdrawn(unit, [gone, here]) == {gone}


async def test_noting_twice_is_noting_once(noted: Noted) -> None:
    withdrawals, ledger = noted
    gone = uuid4()

    for reason in ("cancelled", "deleted"):
        async with ledger.unit() as unit:
            await withdrawals.note_withdrawn(unit, [gone], reason)

    async with ledger.unit() as unit:
        assert await withdrawals.find_withdrawn(unit, [gone]) == {gone}


async def test_asking_about_nothing_finds_nothing(noted: Noted) -> None:
    withdrawals, ledger = noted

    async with ledger.unit() as unit:
        await withdrawals.note_withdrawn(unit, [], "deleted")
        assert await withdrawals.find_withdrawn(unit, []) == set()
