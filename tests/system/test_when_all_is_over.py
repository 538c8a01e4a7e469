"""All that the other tests left behind is judged, once, when the last of them is over.

What one of them breaks on purpose it says itself, with `stack.history.excuse(…)`: nothing is
left out here by guessing.
"""

import json

import pytest

from deploy.local.credentials import credentials
from tests.system.client import client_of
from tests.system.collector import Collector
from tests.system.stack import Stack
from tests.system.verdict import require_promises_kept, require_rest, secrets_of


@pytest.mark.slow
async def test_every_promise_was_kept(stack: Stack, collector: Collector) -> None:
    await stack.up()
    await require_rest(stack)

    await require_promises_kept(stack)

    # What must stand in no log must stand in no trace and no problem either.
    assert collector.said == set()


async def test_a_secret_in_a_problem_or_a_span_would_have_been_heard(stack: Stack) -> None:
    secrets = secrets_of(stack)
    heard = Collector(forbidden={one.encode() for one in secrets})

    heard.hear(f'{{"detail": "no connection to amqp://ingest:{secrets[-2]}@host"}}'.encode())

    # Of every server and service one, and the key that people come in with.
    assert {stack.key, *credentials(stack.state).values()} <= set(secrets)
    assert heard.said == {secrets[-2].encode()}


async def test_a_problem_that_the_client_is_answered_with_is_listened_to(
    stack: Stack,
) -> None:
    heard: list[bytes] = []

    async with client_of(stack, told=heard.append) as other:
        await other.ask("ingest", "/v1/documents/nothing-like-an-id")

    assert [json.loads(one)["status"] for one in heard] == [422]
