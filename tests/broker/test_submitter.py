"""The client for other programs: what it is sure of, what it is not, and with which rights."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import pytest
from aiormq.exceptions import ChannelAccessRefused

from deploy.local.broker_users import permissions
from shared.contracts.envelope import decode
from shared.publishing import NoAnswer, NotSubmitted, Submitter
from shared.topology.queues import SUBMIT
from tests import builders
from tests.broker.database import Servers
from tests.broker.ingest_process import Outside, outside
from tests.broker.messages import headers_of, raw_channel
from tests.broker.vhosts import BrokerApi, account
from tests.eventually import eventually
from tests.house.repository import ROOT

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Outside]:
    async with outside(tmp_path) as world:
        yield world


async def test_the_accounts_of_the_stack_have_the_rights_they_need_and_no_more(
    world: Outside,
) -> None:
    await world.keep(builders.PDF)
    async with (
        account(world.amqp_url, permissions("publisher")) as publisher,
        account(world.amqp_url, permissions("ingest")) as ingest,
        world.ingest(PAPERLINE_AMQP_URL=ingest),
        Submitter(publisher) as submitter,
    ):
        answer = await submitter.submit(builders.submit_document())

        async with raw_channel(publisher) as channel:
            with pytest.raises(ChannelAccessRefused):
                await channel.basic_publish(b"{}", exchange="", routing_key=SUBMIT.name)

    assert answer.outcome == "accepted"


async def test_a_message_is_complete_when_it_arrives(world: Outside) -> None:
    async with Submitter(world.amqp_url) as submitter:
        job_id = await submitter.send(builders.submit_document(priority=5), traceparent=TRACE)

    async with raw_channel(world.amqp_url) as channel:
        message = await channel.basic_get(SUBMIT.name)
    properties = message.header.properties
    envelope = decode(message.body)
    assert (envelope.header.job_id, envelope.header.version) == (job_id, "1.1")
    assert (properties.delivery_mode, properties.priority) == (2, 5)
    assert (properties.content_type, properties.message_type) == (
        "application/json",
        "document.submit",
    )
    # Nobody waits for an answer, and the broker's correlation is not the job's identity.
    assert properties.reply_to is None
    assert properties.message_id != str(job_id)
    assert headers_of(message) == {"traceparent": TRACE}


async def test_without_an_answer_in_time_the_document_is_safe_and_asking_again_is_harmless(
    world: Outside,
) -> None:
    await world.keep(builders.PDF)
    async with Submitter(world.amqp_url, answer_within_s=0.2) as impatient:
        with pytest.raises(NoAnswer):
            await impatient.submit(builders.submit_document())

    async with world.ingest(), Submitter(world.amqp_url) as submitter:
        await eventually(world.documents, within_s=20)
        answer = await submitter.submit(builders.submit_document())

    assert answer.repeated
    assert len(await world.documents()) == 1


async def test_a_connection_that_is_lost_is_told_and_made_anew(world: Outside) -> None:
    name = f"submitter-{token_hex(4)}"
    async with Submitter(world.amqp_url, name=name) as submitter:
        waiting = asyncio.ensure_future(submitter.submit(builders.submit_document()))
        await eventually(lambda: world.depth(SUBMIT.name))

        await _drop(name)

        with pytest.raises(NoAnswer, match="lost"):
            await waiting
        await submitter.send(builders.submit_document())
    assert await world.depth(SUBMIT.name) == 2


async def test_what_the_broker_refuses_was_not_submitted(world: Outside) -> None:
    rights = {"configure": "^amq[.]gen-", "write": "^nothing$", "read": "^amq[.]gen-"}
    async with account(world.amqp_url, rights) as nobody, Submitter(nobody) as submitter:
        for _ in range(2):
            with pytest.raises(NotSubmitted, match="ACCESS_REFUSED"):
                await submitter.submit(builders.submit_document())


async def test_without_a_broker_nothing_was_submitted() -> None:
    with pytest.raises(NotSubmitted):
        async with Submitter("amqp://nobody@127.0.0.1:9/none"):
            pass


async def test_what_no_message_holds_is_refused_before_it_is_sent(world: Outside) -> None:
    large = builders.submit_document(metadata={"note": "x" * 70_000})

    async with Submitter(world.amqp_url) as submitter:
        with pytest.raises(ValueError, match="at most"):
            await submitter.send(large)


def test_the_client_needs_nothing_of_what_ours_are_made_of() -> None:
    heavy = "asyncpg boto3 fastapi opentelemetry prometheus_client pydantic_settings sqlalchemy"
    program = (
        "import sys, shared.publishing\n"
        f"sys.exit(', '.join(set({heavy.split()!r}) & set(sys.modules)) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)

    assert done.returncode == 0


async def _drop(name: str) -> None:
    servers = Servers()
    assert servers.amqp_api_url is not None
    api, found = BrokerApi(servers.amqp_api_url), list[str]()

    async def is_known() -> bool:
        for one in await api.call("GET", "connections"):
            if one.get("client_properties", {}).get("connection_name") == name:
                found.append(one["name"])
        return bool(found)

    # The management API knows of a connection a little later.
    await eventually(is_known, within_s=20)
    await api.call("DELETE", f"connections/{quote(found[0])}")
