"""One trace per document: from the upload to the version that a person approved."""

import json
from http import HTTPStatus
from secrets import token_hex
from uuid import UUID

from shared.observability import conventions as names
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.collector import Collector
from tests.system.invoices import ENCRYPTED, INVOICE_NUMBER, invoice
from tests.system.stack import SERVICES, Stack
from tests.system.tap import tapped

READ = {
    "document.extract",
    "document.store",
    "document.review",
    "document.accepted",
    "document.started",
    "document.extracted",
    "document.stored",
    "document.ended",
    "review.opened",
}
DECIDED = {"document.finalise", "review.decided", "document.finalised"}
# The relay's spans are those that publish.
WAY = (
    "POST",
    "publish jobs:extractor.extract",
    "process extractor.extract",
    "publish jobs:storage.store",
    "process storage.store",
    "publish jobs:review.open",
    "process review.open",
    "publish jobs:storage.finalise",
    "process storage.finalise",
)


async def test_every_message_carries_the_trace_of_the_upload(
    client: Client, stack: Stack
) -> None:
    trace_id = token_hex(16)
    async with tapped(stack) as tap:
        document_id = await _upload(client, trace_id)
        await client.ends(document_id)
        await client.review_item(document_id)
        await client.approve(document_id)

        async def all_passed() -> bool:
            passed = await tap.messages_about(document_id)
            return {one["header"]["type"] for one in passed} >= READ | DECIDED

        await eventually(all_passed, every_s=0.2)
        messages = await tap.messages_about(document_id)

    strangers = [one for one in messages if one["tracing"]["trace_id"] != trace_id]
    assert not strangers


async def test_a_collector_sees_one_trace_through_all_five_services(
    client: Client, collector: Collector
) -> None:
    trace_id = token_hex(16)
    document_id = await _upload(client, trace_id)
    await client.ends(document_id)
    await client.review_item(document_id)
    await client.approve(document_id)

    def all_told() -> bool:
        spans = collector.spans_of(trace_id)
        told = {one.name for one in spans}
        return told >= {*WAY} and {one.service for one in spans} == {*SERVICES}

    await eventually(all_told, within_s=15, every_s=0.2)
    began = {one.name: one.began_ns for one in reversed(collector.spans_of(trace_id))}
    assert sorted(WAY, key=began.__getitem__) == list(WAY)
    taken = next(one for one in collector.spans_of(trace_id) if one.name == WAY[2])
    assert taken.attributes[names.CONVERSATION_ID] == str(document_id)
    assert taken.attributes[names.OPERATION_NAME] == "process"
    # Nothing hangs in the air: whatever has a parent, has one in this trace.
    spans = collector.spans_of(trace_id)
    known = {one.span_id for one in spans}
    [door] = [one for one in spans if one.parent_id not in known]
    assert (door.service, door.name) == ("ingest", "POST")


async def test_what_a_client_said_stands_in_no_span_and_no_metric(
    client: Client, stack: Stack, collector: Collector
) -> None:
    trace_id, canary = token_hex(16), f"canary-{token_hex(8)}"
    collector.forbidden |= {canary.encode(), stack.key.encode()}
    collector.of_documents |= {INVOICE_NUMBER.encode(), b"Larchfield Books Ltd"}

    document_id = await _upload(
        client,
        trace_id,
        filename=f"{canary}.pdf",
        x_tags=canary,
        x_metadata=json.dumps({"note": canary}),
    )
    refused = await client.upload(ENCRYPTED.read_bytes(), x_document_password=canary)
    unknown = await client.get("ingest", f"/v1/documents?q={canary}")
    await client.ends(document_id)
    await client.review_item(document_id)
    corrected = await client.correct(document_id, "buyer.name", canary)
    await client.approve(document_id)
    await eventually(
        lambda: {one.name for one in collector.spans_of(trace_id)} >= {*WAY},
        within_s=15,
        every_s=0.2,
    )
    metrics = [await _metrics(client, port) for port in stack.ops_ports.values()]

    assert (refused.status_code, corrected.status_code) == (422, 200)
    assert [one["filename"] for one in unknown["items"]] == [f"{canary}.pdf"]
    assert collector.said == set()
    nowhere = collector.forbidden | collector.of_documents
    assert not [one for one in nowhere for text in metrics if one in text]


async def _metrics(client: Client, port: int) -> bytes:
    answer = await client.http.get(f"http://127.0.0.1:{port}/metrics")
    assert answer.status_code == HTTPStatus.OK
    return answer.content


async def _upload(client: Client, trace_id: str, **given: str) -> UUID:
    answer = await client.upload(
        invoice(), traceparent=f"00-{trace_id}-{token_hex(8)}-01", **given
    )
    assert answer.status_code == HTTPStatus.ACCEPTED
    return UUID(answer.json()["document_id"])
