"""Each promise is broken by hand, and the verification names it, its offender and no other."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from deploy.verify.history import History
from deploy.verify.looking import Orders, Sources
from deploy.verify.machine import Machine
from deploy.verify.verifying import orders_for, verify
from tests.broker.vhosts import BrokerApi
from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.system.breakages import AT_REST, AT_WORK, Victims
from tests.system.client import Client
from tests.system.history import Recorder
from tests.system.invoices import ENCRYPTED, batch_of, invoice, unsure_invoice
from tests.system.records import Records
from tests.system.reviewing import VAT_ID
from tests.system.stack import SERVICES, VHOST, Stack
from tests.system.verdict import (
    AT_ONCE,
    AT_WORK_AT_ONCE,
    Broken,
    broken,
    broken_by,
    news,
    sources,
)

pytestmark = pytest.mark.slow

Harm: TypeAlias = Callable[[Path], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class World(Victims):
    """Documents that ended well, each in its own way, and where the bytes of one lie."""

    sha256: str
    content: Path
    # By whatever came before; nothing of it is what is broken here.
    before: Broken

    async def judged(self, given: Sources, orders: Orders = AT_ONCE) -> Broken:
        return news(broken(await verify(given, orders)), self.before)


@pytest.fixture(scope="module")
async def world(client: Client, stack: Stack, records: Records) -> World:
    content = invoice()
    read = await client.to_review(content, filename="kept.pdf")
    copy = await client.to_review(content, filename="kept-copy.pdf")
    failed = await client.hand_in(invoice(ENCRYPTED), filename="kept-locked.pdf")
    await client.ends(failed)
    corrected = await client.to_review(unsure_invoice(), filename="kept-corrected.pdf")
    await client.correct(corrected, VAT_ID, "DE123456788")
    await eventually(lambda: client.letters(failed))
    [letter] = await client.letters(failed)
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    orders = orders_for(at_rest=True, deep=True, say=False)
    before = broken(await verify(sources(stack), orders))
    sha256 = (await client.document(read))["sha256"]
    return World(
        *(read, copy, failed, corrected, letter["letter_id"], stack.key),
        *(sha256, stack.blobs / "sha256" / sha256[:2] / sha256, before),
    )


async def test_a_stack_at_work_keeps_all_it_promised(
    client: Client, stack: Stack, records: Records, world: World
) -> None:
    batch = batch_of(12)
    await client.hand_in_all(batch)
    under_way = await records.statuses(batch.name)

    orders = replace(orders_for(at_rest=False, deep=False, say=False), pauses=(3.0,))
    found = await world.judged(sources(stack), orders)

    assert under_way["queued"] + under_way["processing"] > 0
    assert found == {}
    await eventually(lambda: records.has_ended(batch.name, count=12), within_s=60)
    await eventually(records.is_quiet, within_s=30, every_s=0.25)
    # Of what is in hand the broker's API tells for some seconds longer.
    await eventually(lambda: _nothing_is_left(stack, world), within_s=30, every_s=0.5)


async def _nothing_is_left(stack: Stack, world: World) -> bool:
    assert await world.judged(sources(stack)) == {}
    return True


@pytest.mark.parametrize("what", AT_REST)
async def test_what_is_broken_at_rest_is_named_and_nothing_else(
    what: str, stack: Stack, world: World
) -> None:
    breakage = AT_REST[what]

    async with broken_by(stack, world.named(breakage.sql)) as given:
        found = await world.judged(given)

    assert set(found) == {breakage.promise}, found
    if breakage.offender is not None:
        assert found[breakage.promise] == {world.named(breakage.offender)}


@pytest.mark.parametrize("what", AT_WORK)
async def test_what_is_broken_at_work_is_named_and_nothing_else(
    what: str, stack: Stack, world: World
) -> None:
    breakage = AT_WORK[what]

    async with broken_by(stack, world.named(breakage.sql)) as given:
        found = await world.judged(given, AT_WORK_AT_ONCE)

    assert found == {breakage.promise: {world.named(str(breakage.offender))}}


@asynccontextmanager
async def away(path: Path) -> AsyncIterator[None]:
    # What begins with a dot is no object.
    hidden = path.with_name(f".{path.name}")
    path.rename(hidden)
    try:
        yield
    finally:
        hidden.rename(path)


@asynccontextmanager
async def one_byte_other(path: Path) -> AsyncIterator[None]:
    before = path.read_bytes()
    path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    try:
        yield
    finally:
        path.write_bytes(before)


@pytest.mark.parametrize("harm", [away, one_byte_other])
async def test_a_content_that_is_not_as_it_was_sent_is_named(
    harm: Harm, stack: Stack, world: World
) -> None:
    async with harm(world.content):
        found = await world.judged(sources(stack))

    # The copy stands on the same bytes.
    assert found == {"I3": {str(world.read), str(world.copy)}}


@pytest.mark.parametrize("harm", [away, one_byte_other])
@pytest.mark.parametrize("suffix", ["json", "parquet"])
async def test_a_result_that_is_not_as_it_was_kept_is_named(
    harm: Harm, suffix: str, stack: Stack, world: World
) -> None:
    [path] = stack.blobs.glob(f"data/{suffix}/*/*/*/{world.read}.{suffix}")

    async with harm(path):
        found = await world.judged(sources(stack))

    assert found == {"I5": {str(world.read)}}


async def test_a_yes_that_was_never_committed_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder, nobody = Recorder(tmp_path / "history"), uuid4()
    recorder.sending(b"never", None).told(202, nobody)
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I4": {str(nobody)}}


async def test_a_key_that_stands_for_two_documents_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder, content = Recorder(tmp_path / "history"), world.content.read_bytes()
    for document_id in (world.read, world.copy):
        recorder.sending(content, "twice").told(202, document_id)
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I4": {"twice"}}


async def test_a_content_that_was_paid_for_twice_is_named(stack: Stack, world: World) -> None:
    async with GeminiDouble() as double:
        double.ledger.answered[world.sha256] = 2
        given = replace(sources(stack), provider_url=double.url)

        found = await world.judged(given)

    assert found == {"I7": {world.sha256}}


async def test_a_binding_that_is_gone_is_named(stack: Stack, world: World) -> None:
    api = BrokerApi(stack.broker_api_url)
    home = f"bindings/{VHOST}/e/dead/q/ingest.split.dead"
    await api.call("DELETE", f"{home}/ingest.split")
    try:
        found = await world.judged(sources(stack))
    finally:
        await api.call("POST", home, {"routing_key": "ingest.split"})

    assert found == {"I11": {"dead -> ingest.split.dead [ingest.split]"}}


async def test_an_innocent_document_that_failed_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.innocent([world.read, world.failed])
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I13": {str(world.failed)}}


async def test_processes_that_hold_too_much_are_named(stack: Stack, world: World) -> None:
    given = sources(stack)
    assert given.machine is not None
    greedy = replace(given.machine, resident_bytes_max=1 << 20)

    found = await world.judged(replace(given, machine=greedy))

    assert found == {"I16": set(SERVICES)}


async def test_a_service_that_does_not_answer_is_named(stack: Stack, world: World) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        machine = Machine(ops_ports={"nobody": nobody.getsockname()[1]})

        found = await world.judged(replace(sources(stack), machine=machine))

    assert found == {"I17": {"nobody"}}


async def test_a_message_that_is_left_over_is_named(stack: Stack, world: World) -> None:
    api = BrokerApi(stack.broker_api_url)
    message = {
        "properties": {},
        # On the highest rung, for hours.
        "routing_key": ".".join(["1", *["0"] * 15, "nobody.there"]),
        "payload": "{}",
        "payload_encoding": "string",
    }
    await api.call("POST", f"exchanges/{VHOST}/delay.15/publish", message)
    try:
        found = await world.judged(sources(stack))
    finally:
        await api.call("DELETE", f"queues/{VHOST}/delay.15/contents")

    assert found == {"I17": {"delay.15"}}


async def test_a_secret_in_a_log_is_named(stack: Stack, world: World, tmp_path: Path) -> None:
    (tmp_path / "extractor.log").write_text(f"asked with {stack.key}\n")
    machine = Machine(logs=tmp_path, secrets=(stack.key,))

    found = await world.judged(replace(sources(stack), machine=machine))

    assert found == {"I18": {"extractor.log"}}


async def test_what_a_test_breaks_on_purpose_is_excused(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.innocent([world.failed])
    recorder.excuse(world.failed, "I13", why="it is locked on purpose")
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {}


async def test_a_broker_that_does_not_answer_cannot_be_judged(
    stack: Stack, world: World
) -> None:
    given = sources(stack)
    assert given.broker is not None
    nowhere = replace(given.broker, amqp_url="amqp://nobody:nothing@127.0.0.1:1/")

    found = await world.judged(replace(given, broker=nowhere), Orders(at_rest=True))

    assert {name: len(who) for name, who in found.items()} == {"I2": 0, "I11": 0, "I17": 0}


async def test_the_command_says_it_and_ends_accordingly(stack: Stack, world: World) -> None:
    code, said = await stack.tried("verify", "--quiescent", "--history", stack.history.path)

    assert code == (1 if world.before else 0), said
    assert "I18 holds" in said
