"""State and messages are one commit: where one cannot be written, the other is not there."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.extractor.adapters.withdrawals import PostgresWithdrawals
from tests import builders
from tests.broker.service_schema import ServiceSchema, service_schema

DOCUMENT_ID = builders.extract_document().document_id
# Both are refused by the database itself: the one as soon as it is written, the other at the
# commit and no sooner.
NO_MESSAGE = "ALTER TABLE outbox ADD CONSTRAINT nothing_is_sent CHECK (type = '') NOT VALID"
NO_COMMIT = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
CREATE CONSTRAINT TRIGGER nothing_is_committed AFTER INSERT ON withdrawn
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
"""


@pytest.fixture
async def schema(database_url: str) -> AsyncIterator[ServiceSchema]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield schema


async def withdraw(schema: ServiceSchema) -> None:
    async with schema.ledger.unit() as unit:
        await PostgresWithdrawals().note_withdrawn(unit, [DOCUMENT_ID], "cancelled")
        unit.send(builders.extract_document())


async def withdrawn(schema: ServiceSchema) -> int:
    return int(await schema.owner.fetchval("SELECT count(*) FROM withdrawn"))


async def test_both_are_there_at_once(schema: ServiceSchema) -> None:
    await withdraw(schema)

    assert (await withdrawn(schema), len(await schema.outbox())) == (1, 1)


@pytest.mark.parametrize("refused", [NO_MESSAGE, NO_COMMIT], ids=["message", "state"])
async def test_without_the_one_there_is_not_the_other(
    schema: ServiceSchema, refused: str
) -> None:
    await schema.owner.execute(refused)

    with pytest.raises(asyncpg.PostgresError):
        await withdraw(schema)

    assert (await withdrawn(schema), len(await schema.outbox())) == (0, 0)
