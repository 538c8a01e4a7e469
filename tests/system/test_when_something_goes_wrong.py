"""Each trouble is made, and a real Prometheus with the rules we ship calls somebody for it.

Those of a whole stack. Each alert's own, without one, is made in `tests/contract/troubles.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import asyncpg
import httpx
import pytest

from deploy.local.prometheus import ADVICE, prometheus_program
from tests.broker.vhosts import BrokerApi
from tests.prometheus import Prometheus, watching
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.stack import VHOST, Stack

pytestmark = pytest.mark.slow

A_PARKED_ROW = """
INSERT INTO ingest.outbox_parked (reason, priority, exchange, routing_key, type, headers, body)
VALUES ('returned', 3, 'jobs', 'nobody.there', 'document.extract', '{}', '{}') RETURNING id
"""
WITHOUT_A_HOME = """
SELECT letter_id FROM monitor.dead_letters WHERE dead_queue = 'unroutable' AND state = 'open'
"""
A_SIGHTING = """
INSERT INTO monitor.documents_seen
       (document_id, owner_id, accepted_at, status, run, rank, moved_at)
VALUES (gen_random_uuid(), 'alerts', now(), $1, 0, $2, now() - make_interval(secs => $3))
"""
A_STUCK_DOCUMENT = """
UPDATE ingest.documents SET status = 'processing', released_at = NULL, reopened_at = NULL,
       started_at = now() - interval '31 minutes' WHERE document_id = $1
"""
A_PAUSE = """
INSERT INTO storage.pauses (queue, reason, detail, probe_every_s)
VALUES ('storage.finalise', $1, 'a test', 60)
"""
# The gauges of the monitor and of ingest's sweeper are measured every 15 seconds.
MEASURED_WITHIN_S = 45.0


@pytest.fixture(scope="module")
async def prometheus(
    stack: Stack, client: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Prometheus]:
    program = prometheus_program()
    if program is None:
        pytest.skip(f"no Prometheus: {ADVICE}")
    folder = tmp_path_factory.mktemp("prometheus")
    async with watching(program, stack.ops_ports, folder) as watcher:
        yield watcher


@asynccontextmanager
async def database(stack: Stack) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(stack.database_url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def killed(stack: Stack, service: str) -> AsyncIterator[None]:
    await stack.kill(service)
    try:
        yield
    finally:
        await stack.up()


async def test_a_message_without_a_home_calls_somebody(
    prometheus: Prometheus, stack: Stack
) -> None:
    message = {
        "properties": {"content_type": "application/json"},
        "routing_key": "to.whom.it.may.concern",
        "payload": "{}",
        "payload_encoding": "string",
    }
    api = BrokerApi(stack.broker_api_url)

    await api.call("POST", f"exchanges/{VHOST}/ingest/publish", message)

    await prometheus.fires("Unroutable", within_s=MEASURED_WITHIN_S)
    async with database(stack) as rows:
        for row in await rows.fetch(WITHOUT_A_HOME):
            stack.history.excuse(row["letter_id"], "I11", why="a message for nobody")


async def test_a_parked_message_calls_somebody_until_it_is_gone(
    prometheus: Prometheus, stack: Stack
) -> None:
    async with database(stack) as rows:
        row = await rows.fetchval(A_PARKED_ROW)
        await prometheus.fires("MessagesParked", service="ingest")
        # It is tried again and again, under another id each time.
        await rows.execute("DELETE FROM ingest.outbox_parked WHERE id >= $1", row)
        await rows.execute("DELETE FROM ingest.outbox WHERE routing_key = 'nobody.there'")


async def test_dead_letters_call_somebody_while_they_come_and_while_they_wait(
    prometheus: Prometheus, client: Client
) -> None:
    for _ in range(5):
        await client.ends(await client.hand_in(invoice(ENCRYPTED)))

    await prometheus.fires("DeadLettersComeIn", queue="extractor.extract")
    await prometheus.fires(
        "DeadLettersWait", queue="extractor.extract", within_s=MEASURED_WITHIN_S
    )


@pytest.mark.parametrize(
    ("rank", "seconds", "alert"), [(30, 200, "StageOld"), (10, 2000, "DocumentsWait")]
)
async def test_a_document_that_stands_still_calls_somebody(
    prometheus: Prometheus, stack: Stack, rank: int, seconds: int, alert: str
) -> None:
    async with database(stack) as rows:
        await rows.execute(A_SIGHTING, "processing" if rank > 10 else "queued", rank, seconds)
        try:
            await prometheus.fires(alert, within_s=MEASURED_WITHIN_S)
        finally:
            await rows.execute("DELETE FROM monitor.documents_seen WHERE owner_id = 'alerts'")
    await prometheus.is_quiet(alert)


async def test_a_stuck_document_calls_somebody(
    prometheus: Prometheus, client: Client, stack: Stack
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)

    async with database(stack) as rows:
        await rows.execute(A_STUCK_DOCUMENT, document_id)
        try:
            await prometheus.fires("DocumentsStuck", within_s=MEASURED_WITHIN_S)
        finally:
            await rows.execute(
                "UPDATE ingest.documents SET status = 'completed' WHERE document_id = $1",
                document_id,
            )
    await prometheus.is_quiet("DocumentsStuck")


@pytest.mark.parametrize(
    ("reason", "alert"), [("operator", "QueuePaused"), ("protective_stop", "ProtectiveStop")]
)
async def test_a_paused_queue_calls_somebody(
    prometheus: Prometheus, stack: Stack, reason: str, alert: str
) -> None:
    async with database(stack) as rows:
        await rows.execute(A_PAUSE, reason)
        try:
            await prometheus.fires(alert, queue="storage.finalise")
        finally:
            await rows.execute("DELETE FROM storage.pauses WHERE queue = 'storage.finalise'")
    await prometheus.is_quiet(alert, queue="storage.finalise")


async def test_a_review_that_is_overdue_calls_its_owner(
    prometheus: Prometheus, client: Client, stack: Stack
) -> None:
    document_id = await client.hand_in(invoice())
    await client.ends(document_id)
    await client.review_item(document_id)

    async with database(stack) as rows:
        await rows.execute(
            "UPDATE review.review_items SET due_at = now() - interval '1 hour' "
            "WHERE document_id = $1",
            document_id,
        )

    await prometheus.fires("ReviewsOverdue", owner="reviewers", within_s=MEASURED_WITHIN_S)
    await client.reject(document_id)


async def test_a_queue_that_nobody_takes_from_calls_somebody(
    prometheus: Prometheus, client: Client, stack: Stack
) -> None:
    async with killed(stack, "extractor"):
        document_id = await client.hand_in(invoice())
        await prometheus.fires("ServiceSilent", service="extractor")
        await prometheus.fires(
            "NobodyListens", queue="extractor.extract", within_s=MEASURED_WITHIN_S
        )
    await client.ends(document_id)
    await prometheus.is_quiet("ServiceSilent")
    await prometheus.is_quiet("NobodyListens", within_s=MEASURED_WITHIN_S)


async def test_a_monitor_that_is_silent_calls_somebody(
    prometheus: Prometheus, stack: Stack
) -> None:
    async with killed(stack, "monitor"):
        await prometheus.fires("MonitorSilent")
    await prometheus.is_quiet("MonitorSilent")


async def test_a_disk_that_is_short_calls_somebody(
    prometheus: Prometheus, stack: Stack
) -> None:
    with pytest.MonkeyPatch.context() as surroundings:
        surroundings.setenv("PAPERLINE_BLOBS_FREE_BYTES_MIN", str(1 << 50))
        await stack.start("storage")
        await prometheus.fires("BlobsShort", service="storage")
    await stack.start("storage")
    await prometheus.is_quiet("BlobsShort")


async def test_a_broker_that_takes_nothing_calls_somebody_and_so_does_what_is_owed(
    prometheus: Prometheus, client: Client, stack: Stack
) -> None:
    async def watermark(share: str) -> None:
        await stack.control("set_vm_memory_high_watermark", share)

    await watermark("0.00001")
    try:
        document_id = await client.hand_in(invoice())
        await prometheus.fires("BrokerBlocks", service="ingest")
        await prometheus.fires("OutboxNotSent", service="ingest", within_s=120)
    finally:
        await watermark("0.4")
    await client.ends(document_id, within_s=60)
    await prometheus.is_quiet("OutboxNotSent")


async def test_uploads_that_fail_burn_the_budget(
    prometheus: Prometheus, client: Client, stack: Stack
) -> None:
    await stack.stop_node("postgres", kill=False)
    try:
        answers = await asyncio.gather(*(_try(client) for _ in range(30)))
        await prometheus.fires("BudgetBurnsFast", slo="uploads", within_s=90)
    finally:
        await stack.start_node("postgres")
        await stack.up()

    assert HTTPStatus.SERVICE_UNAVAILABLE in answers


async def _try(client: Client) -> int:
    try:
        return (await client.upload(invoice())).status_code
    except httpx.TransportError:
        return 0
