"""What is done apart is no transaction: each statement for itself, and messages come last."""

from collections.abc import AsyncIterator

import pytest

from services.extractor.adapters.withdrawals import PostgresWithdrawals
from shared.errors import Rejected
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema

DOCUMENT_ID = builders.extract_document().document_id


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[ServiceSchema]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield schema


async def _is_withdrawn(schema: ServiceSchema) -> bool:
    rows = await schema.owner.fetch("SELECT document_id FROM withdrawn")
    return [row["document_id"] for row in rows] == [DOCUMENT_ID]


async def test_what_is_sent_leaves_when_the_block_ends_well(schema: ServiceSchema) -> None:
    async with schema.ledger.apart() as unit:
        assert not unit.connection.is_in_transaction()
        unit.send(builders.extract_document())
        assert await schema.outbox() == []

    assert [type_ for _, type_ in await schema.outbox()] == ["document.extract"]


async def test_what_was_changed_before_a_failure_stays_and_nothing_is_sent(
    schema: ServiceSchema,
) -> None:
    with pytest.raises(Rejected):
        async with schema.ledger.apart() as unit:
            await PostgresWithdrawals().note_withdrawn(unit, [DOCUMENT_ID], "cancelled")
            unit.send(builders.extract_document())
            raise Rejected("unreadable", "")

    assert await _is_withdrawn(schema)
    assert await schema.outbox() == []
