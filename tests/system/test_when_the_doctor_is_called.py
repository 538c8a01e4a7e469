"""The doctor measures, names what needs a hand, and ends with what a script can read."""

import asyncio

import asyncpg

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.stack import Stack

PARKED = """
INSERT INTO ingest.outbox_parked (reason, priority, exchange, routing_key, type, headers, body)
VALUES ('returned', 3, 'jobs', 'nobody.there', 'document.extract', '{}', '{}')
"""


async def test_a_stack_that_is_well_is_in_order_whatever_is_worth_knowing(
    stack: Stack, client: Client
) -> None:
    document_id = await client.hand_in(invoice(ENCRYPTED))
    await client.ends(document_id)

    async def has_a_letter() -> bool:
        return bool(await client.letters(document_id))

    await eventually(has_a_letter)

    code, said = await stack.doctor()

    assert code == 0, said
    assert "All in order." in said
    assert "! dead letters: " in said
    assert "✓ queues, dead-letter exchanges and bindings are as the table says" in said
    assert "✗" not in said


async def test_what_needs_a_hand_is_named_and_told_by_the_exit_code(stack: Stack) -> None:
    connection = await asyncpg.connect(stack.database_url)
    key = stack.state.root / "key"
    try:
        await connection.execute(PARKED)
        await asyncio.to_thread(key.chmod, 0o644)
        code, said = await stack.doctor()
    finally:
        await asyncio.to_thread(key.chmod, 0o600)
        await connection.execute("DELETE FROM ingest.outbox_parked")
        await connection.execute("DELETE FROM ingest.outbox WHERE routing_key = 'nobody.there'")
        await connection.close()

    assert code == 1
    assert "✗ files: readable by others: key" in said
    assert "need a hand" in said


async def test_a_service_that_is_gone_is_missed(stack: Stack) -> None:
    await stack.kill("review")
    try:
        code, said = await stack.doctor()
    finally:
        await stack.up()

    assert code == 1
    assert "✗ review: no answer" in said
