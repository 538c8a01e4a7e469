"""A provider that fails, over RabbitMQ: documents wait, or go on without it; none is lost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import pairwise
from secrets import token_hex

import pytest

import shared.ledger
import shared.limits
from services.extractor.adapters.leases import PostgresLeases
from services.extractor.adapters.own_readings import PostgresOwnReadings
from services.extractor.adapters.pauses import BoardPauses
from services.extractor.adapters.processed_documents import PostgresProcessedDocuments
from services.extractor.adapters.withdrawals import PostgresWithdrawals
from services.extractor.domain.protection import BreakerTerms
from services.extractor.domain.reading import Reading, Scan
from services.extractor.domain.terms import Terms
from services.extractor.domain.trust.calibrators import ColdStart
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.vendors import NOTHING, Memory
from services.extractor.handlers import extract_document
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.waiting import WaitingRoom
from services.extractor.ports import Engine, Ports
from shared.blobs.keys import content_key
from shared.checks.book import RuleBook
from shared.checks.scope import Knowledge
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import (
    ConsumptionPausedV1,
    ConsumptionResumedV1,
    DocumentStartedV1,
)
from shared.contracts.orders import StoreDocumentV1
from shared.ledger.board import PostgresPauseBoard
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import dead_queue
from tests import builders
from tests.broker.bus_bench import BusBench, open_bench, work_queue
from tests.broker.database import migrations_of
from tests.broker.provider_bench import ProviderTerms, engine_behind_gate
from tests.broker.service_schema import ROOT
from tests.broker.tables import make_tables_at
from tests.eventually import eventually
from tests.fakes.blobs import InMemoryBlobs
from tests.fakes.extractor import FakeEngine
from tests.fakes.vendors import InMemoryVendors
from tests.gemini_double.server import GeminiDouble

DOCUMENTS = 12
MODEL_S = 30.0
PROBE_EVERY_S = 0.2


async def nobody_known(scan: Scan, reading: Reading) -> Memory:
    return NOTHING


class AsRead(Judge):
    """Leaves a reading as it is: what it is worth is not the subject here."""

    def judged(self, reading: Reading, memory: Memory, today: date) -> Reading:
        return reading


AS_READ = AsRead(RuleBook((), (), (), (), Knowledge()), "1", ColdStart())


@dataclass(slots=True)
class Extractor:
    bench: BusBench
    double: GeminiDouble
    offline: FakeEngine
    blobs: InMemoryBlobs

    async def upload(self, content: bytes) -> None:
        digest = sha256(content).hexdigest()
        self.blobs.objects[content_key(digest)] = content
        order = builders.extract_document(content_key=content_key(digest), sha256=digest)
        await self.bench.submit(order)

    async def upload_some(self, count: int = DOCUMENTS) -> None:
        for number in range(count):
            await self.upload(b"%PDF-1.7 " + str(number).encode())

    @asynccontextmanager
    async def working(self, terms: ProviderTerms) -> AsyncIterator[None]:
        bench = self.bench
        queue = bench.queue.name
        board = PostgresPauseBoard(bench.pool, bench.clock, [queue], wake=lambda: None)
        pauses = BoardPauses(board, queue, "gemini", PROBE_EVERY_S)
        async with (
            engine_behind_gate(bench.pool, self.double, terms, pauses) as gemini,
            bench.consuming_with(one=partial(extract_document, use=self.use(gemini))),
        ):
            yield

    def use(self, gemini: Engine) -> Ports:
        return Ports(
            blobs=self.blobs,
            engine=Chain(
                None, self.offline, gemini, AS_READ, nobody_known, self.waiting_room()
            ),
            processed=PostgresProcessedDocuments(),
            leases=PostgresLeases(),
            withdrawals=PostgresWithdrawals(),
            vendors=InMemoryVendors(),
            own_readings=PostgresOwnReadings(),
            ledger=self.bench.ledger,
            terms=Terms(cache_ttl_s=3600, lease_s=10, refusal_s=60),
            scan_bytes_max=1024,
        )

    def waiting_room(self) -> WaitingRoom:
        return WaitingRoom(
            self.offline.config,
            MODEL_S,
            PostgresOwnReadings(),
            PostgresWithdrawals(),
            self.bench.ledger,
        )

    async def ended(self) -> list[ExtractionV1]:
        """What was ordered to be stored."""
        orders = await self.bench.outbox(StoreDocumentV1.type)
        keys = [order.body["extraction_key"] for order in orders]
        return [ExtractionV1.model_validate_json(self.blobs.objects[key]) for key in keys]

    async def have_ended(self, count: int) -> bool:
        ordered = await self.bench.pool.fetchval(
            "SELECT count(*) FROM outbox WHERE type = $1", StoreDocumentV1.type
        )
        return bool(ordered >= count)

    async def attempts(self) -> set[int]:
        started = await self.bench.outbox(DocumentStartedV1.type)
        return {fact.body["attempt"] for fact in started}

    async def died(self) -> int:
        buried = await self.bench.pool.fetchval(
            "SELECT count(*) FROM inbox WHERE outcome = 'failed'"
        )
        return int(buried) + await self.bench.depth(dead_queue(self.bench.queue.name))

    async def is_paused(self) -> bool:
        return self.bench.board.paused(self.bench.queue.name) is not None


@pytest.fixture
async def extractor(amqp_url: str, database_url: str) -> AsyncIterator[Extractor]:
    queue, schema = work_queue(), f"provider_{token_hex(4)}"
    await apply(amqp_url, plan([queue]))
    locations = [
        migrations_of(shared.ledger),
        migrations_of(shared.limits),
        ROOT / "services/extractor/migrations",
    ]
    await make_tables_at(database_url, schema=schema, locations=locations)
    async with (
        GeminiDouble() as double,
        open_bench(amqp_url, database_url, queue, schema) as bench,
    ):
        yield Extractor(bench, double, FakeEngine(), InMemoryBlobs())


async def test_in_an_outage_documents_wait_and_one_call_begins_the_work_again(
    extractor: Extractor,
) -> None:
    extractor.double.will("error_503")
    await extractor.upload_some()

    async with extractor.working(ProviderTerms()):
        await eventually(extractor.is_paused)
        # Nobody asks but the probes, one after the other.
        await eventually(lambda: extractor.double.ledger.count >= 8, within_s=20)
        assert not await extractor.ended()
        extractor.double.will("ok")
        await eventually(lambda: extractor.have_ended(DOCUMENTS), within_s=30)

    assert await extractor.died() == 0
    assert not any(one.degraded for one in await extractor.ended())
    # Our own engine has read each once, however often it waited; nothing of that is left.
    assert extractor.offline.calls == DOCUMENTS
    assert await extractor.bench.pool.fetchval("SELECT count(*) FROM own_readings") == 0
    # The failures before it opened cost one; waiting costs none.
    assert await extractor.attempts() <= {1, 2}
    calls = list(extractor.double.ledger.calls)
    asked_in_vain = [call for call in calls if call.status == 503]
    # Five opened it, and three more may have been on their way then.
    assert len(asked_in_vain) >= 8
    probes = asked_in_vain[8:]
    assert all(late.at - early.at >= 0.5 for early, late in pairwise(probes))
    assert len(await extractor.bench.outbox(ConsumptionPausedV1.type)) >= 1
    assert len(await extractor.bench.outbox(ConsumptionResumedV1.type)) >= 1


async def test_past_their_patience_documents_go_on_without_it_and_are_read_anew_later(
    extractor: Extractor,
) -> None:
    terms = ProviderTerms(BreakerTerms(recovery_timeout_s=0.5, patience_s=1.0))
    extractor.double.will("error_503")
    await extractor.upload_some()

    async with extractor.working(terms):
        await eventually(lambda: extractor.have_ended(DOCUMENTS), within_s=30)
        ended = await extractor.ended()
        assert {one.engine for one in ended} == {"offline_fallback"}
        assert all(one.degraded for one in ended)

        extractor.double.will("ok")
        # Each is one more upload of a content that was read without the provider.
        for again in range(1, 4):
            await extractor.upload_some(1)
            wanted = DOCUMENTS + again
            await eventually(lambda wanted=wanted: extractor.have_ended(wanted), within_s=20)
        await eventually(lambda: _reads_again(extractor), within_s=20)

    assert await extractor.died() == 0


async def _reads_again(extractor: Extractor) -> bool:
    before = len(await extractor.ended())
    await extractor.upload(b"%PDF-1.7 " + token_hex(4).encode())
    await eventually(lambda: extractor.have_ended(before + 1))
    newest = {one.sha256: one for one in await extractor.ended()}
    return any(not one.degraded for one in newest.values())


async def test_a_hint_of_the_provider_is_waited_for_on_the_ladder(
    extractor: Extractor,
) -> None:
    extractor.double.will("rate_minute", count=1, retry_delay="1.5s")
    await extractor.upload_some(1)

    async with extractor.working(ProviderTerms()):
        await eventually(lambda: extractor.double.ledger.count == 1)
        await extractor.upload_some()
        await eventually(lambda: extractor.have_ended(DOCUMENTS), within_s=20)

    first, *others = extractor.double.ledger.calls
    assert min(call.at for call in others) - first.at >= 1.5
    assert await extractor.died() == 0
    assert not any(one.degraded for one in await extractor.ended())


async def test_a_spent_day_keeps_nobody_waiting(extractor: Extractor) -> None:
    extractor.double.will("rate_day")
    await extractor.upload_some()

    async with extractor.working(ProviderTerms()):
        await eventually(lambda: extractor.have_ended(DOCUMENTS), within_s=20)

    ended = await extractor.ended()
    assert {one.engine for one in ended} == {"offline_fallback"}
    assert {finding.code for one in ended for finding in one.findings} == {"engine_away"}
    # Those that were under way when the first was told so.
    assert extractor.double.ledger.count <= extractor.bench.queue.slots
    assert not await extractor.bench.outbox(ConsumptionPausedV1.type)


async def test_a_second_outage_pauses_the_queue_again(extractor: Extractor) -> None:
    bench, queue = extractor.bench, extractor.bench.queue.name
    board = PostgresPauseBoard(bench.pool, bench.clock, [queue], wake=lambda: None)
    pauses = BoardPauses(board, queue, "gemini", PROBE_EVERY_S)
    await pauses.pause("the first")
    await eventually(extractor.is_paused)
    # By the consumers, when a delivery of theirs has ended well.
    await bench.board.resume(queue, "gemini_away")
    assert not await extractor.is_paused()

    await pauses.pause("the second")

    await eventually(extractor.is_paused)


@pytest.mark.parametrize(
    "copies", [60, pytest.param(1000, marks=pytest.mark.slow)], ids=lambda count: f"{count}"
)
async def test_copies_of_one_file_cost_one_call(extractor: Extractor, copies: int) -> None:
    extractor.double.will("ok", delay_s=0.2)
    for _ in range(copies):
        await extractor.upload(b"%PDF-1.7 the same")

    async with extractor.working(ProviderTerms()):
        await eventually(lambda: extractor.have_ended(copies), within_s=copies / 10 + 20)

    assert extractor.double.ledger.count == 1
    assert sum(not one.cache_hit for one in await extractor.ended()) == 1
    assert await extractor.died() == 0
