"""Promises broken elsewhere than in a table, each named and no other: what clients were told,
what the broker, the processes and their logs hold."""

import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from deploy.verify.heads import kept_heads
from deploy.verify.history import History
from deploy.verify.looking import Orders
from deploy.verify.machine import Machine
from tests.broker.vhosts import BrokerApi
from tests.system.client import Client
from tests.system.history import Recorder
from tests.system.kept import World, kept_world
from tests.system.records import Records
from tests.system.stack import SERVICES, VHOST, Stack
from tests.system.verdict import (
    broken_by,
    sources,
)

pytestmark = pytest.mark.slow

Harm: TypeAlias = Callable[[Path], AbstractAsyncContextManager[None]]


@pytest.fixture(scope="module")
async def world(client: Client, stack: Stack, records: Records) -> World:
    return await kept_world(client, stack, records)


async def test_a_yes_that_was_never_committed_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder, nobody = Recorder(tmp_path / "history"), uuid4()
    recorder.sending(b"never", None).told(202, nobody)
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I4 promised_lies": {str(nobody)}}


async def test_a_key_that_stands_for_two_documents_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder, content = Recorder(tmp_path / "history"), world.content.read_bytes()
    for document_id in (world.read, world.copy):
        recorder.sending(content, "twice").told(202, document_id)
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I4 keys_of_one": {"twice"}}


async def test_a_binding_that_is_gone_is_named(stack: Stack, world: World) -> None:
    api = BrokerApi(stack.broker_api_url)
    home = f"bindings/{VHOST}/e/dead/q/ingest.split.dead"
    await api.call("DELETE", f"{home}/ingest.split")
    try:
        found = await world.judged(sources(stack))
    finally:
        await api.call("POST", home, {"routing_key": "ingest.split"})

    assert found == {"I11 routing": {"dead -> ingest.split.dead [ingest.split]"}}


async def test_an_innocent_document_that_failed_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.innocent([world.read, world.failed])
    given = replace(sources(stack), history=History(recorder.path))

    assert await world.judged(given) == {"I13 innocent": {str(world.failed)}}


async def test_processes_that_hold_too_much_are_named(stack: Stack, world: World) -> None:
    given = sources(stack)
    assert given.machine is not None
    greedy = replace(given.machine, resident_bytes_max=dict.fromkeys(SERVICES, 1 << 20))

    found = await world.judged(replace(given, machine=greedy))

    assert found == {"I16 processes": set(SERVICES)}


async def test_a_service_that_does_not_answer_is_named(stack: Stack, world: World) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        machine = Machine(ops_ports={"nobody": nobody.getsockname()[1]})

        found = await world.judged(replace(sources(stack), machine=machine))

    assert found == {"I17 readiness": {"nobody"}}


# Its last line says something else, and all that vouches for it is made anew.
TAIL_MADE_ANEW = """
UPDATE review.audit_log
   SET entry = replace(entry::text, '"reason":"', '"reason":"not ')::json
 WHERE seq = (SELECT max(seq) FROM review.audit_log);
UPDATE review.audit_log
   SET hash = sha256(previous || convert_to(
           seq || '|' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               || '|' || entry::text, 'UTF8'))
 WHERE seq = (SELECT max(seq) FROM review.audit_log);
UPDATE review.audit_head
   SET hash = (SELECT hash FROM review.audit_log ORDER BY seq DESC LIMIT 1)"""
TAIL_CUT_OFF = """
DELETE FROM review.audit_log WHERE seq = (SELECT max(seq) FROM review.audit_log);
UPDATE review.audit_head
   SET seq = seq - 1,
       hash = (SELECT hash FROM review.audit_log ORDER BY seq DESC LIMIT 1)"""


@pytest.mark.parametrize("made", [TAIL_MADE_ANEW, TAIL_CUT_OFF], ids=["anew", "shorter"])
@pytest.mark.parametrize("command", ["head", "export"])
async def test_an_audit_log_that_was_written_anew_is_named_by_the_head_that_was_kept(
    command: str, made: str, stack: Stack, world: World, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    words = ("as", "review", "shared.audit", command, "--service", "review")
    code, said = await stack.tried(*words)
    assert code == 0, said
    kept.write_text(said)
    heads = kept_heads([f"review={kept}"])

    whole = await world.judged(replace(sources(stack), audit_heads=heads))
    async with broken_by(stack, made) as given:
        unseen = await world.judged(given)
        found = await world.judged(replace(given, audit_heads=heads))

    assert whole == {}
    # That a deed has lost its line may be seen. That there was one, nobody else tells.
    assert "I9 chains" not in unseen
    assert found == {**unseen, "I9 chains": {"review.audit_log"}}


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

    assert found == {"I17 empty_queues": {"delay.15"}}


async def test_a_secret_in_a_log_is_named(stack: Stack, world: World, tmp_path: Path) -> None:
    (tmp_path / "extractor.log").write_text(f"asked with {stack.key}\n")
    machine = Machine(logs=tmp_path, secrets=(stack.key,))

    found = await world.judged(replace(sources(stack), machine=machine))

    assert found == {"I18 leaks": {"extractor.log"}}


@pytest.mark.parametrize("text", ["Larchfield Books Ltd", "GB29NWBK60161331926819"])
async def test_what_stands_in_an_invoice_and_in_a_log_is_named(
    text: str, stack: Stack, world: World, tmp_path: Path
) -> None:
    (tmp_path / "storage.log").write_text(f"kept the result of {text}\n")
    machine = Machine(logs=tmp_path)

    found = await world.judged(replace(sources(stack), machine=machine))

    assert found == {"I18 leaks": {"storage.log"}}


async def test_what_stands_in_a_metric_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.note("canary", text="process_resident_memory_bytes")
    given = replace(sources(stack), history=History(recorder.path))

    found = await world.judged(given)

    assert found == {"I18 leaks": {f"metrics of {one}" for one in SERVICES}}


async def test_a_promise_whose_row_is_gone_is_named(
    stack: Stack, world: World, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "history")
    recorder.sending(b"once", None).told(202, world.read)
    gone = f"DELETE FROM ingest.documents WHERE document_id = '{world.read}'"

    async with broken_by(stack, gone) as given:
        found = await world.judged(replace(given, history=History(recorder.path)))

    assert found["I1 promised_rows"] == {str(world.read)}


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
    assert "I18 holds – " in said
