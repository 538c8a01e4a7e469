"""Ingest as several processes side by side: one load shared, and one limit for each key."""

import asyncio
import logging
import random
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from secrets import token_hex

import httpx
import pytest

from tests.eventually import eventually
from tests.system.client import Client, client_of
from tests.system.invoices import invoice
from tests.system.keys import issued_key
from tests.system.records import Records
from tests.system.replicas import replica_of
from tests.system.stack import Stack

log = logging.getLogger(__name__)

LOAD_S, REQUESTS_PER_S, AT_ONCE = 60, 100, 32
# Whoever hands in looks after it a few times.
MIX = {"upload": 10, "list": 20, "status": 70}

KEY_RATE_PER_S, KEY_BURST, ASKED = 5, 40, 400
# What all replicas together may have leased and not yet given out.
LEASED_MAX = 4


@dataclass(slots=True)
class Load:
    """Requests at their times, whether or not those before them have been answered."""

    doors: Sequence[Client]
    name: str
    documents: list[str] = field(default_factory=list)
    # What was asked, the status of the answer, and the seconds since it was due.
    answers: list[tuple[str, int, float]] = field(default_factory=list)

    async def run(self, lasts_s: int) -> None:
        loop, due = asyncio.get_running_loop(), asyncio.Queue[float]()
        began, count = loop.time(), lasts_s * REQUESTS_PER_S
        for nth in range(count):
            moment = began + nth / REQUESTS_PER_S
            loop.call_at(moment, due.put_nowait, moment)
        left = iter(random.Random(self.name).choices([*MIX], [*MIX.values()], k=count))
        await asyncio.gather(
            *(self._ask(self.doors[nth % len(self.doors)], due, left) for nth in range(AT_ONCE))
        )

    async def _ask(self, door: Client, due: asyncio.Queue[float], left: Iterable[str]) -> None:
        for kind in left:
            moment = await due.get()
            answer = await self._answer(kind, door)
            took_s = asyncio.get_running_loop().time() - moment
            self.answers.append((kind, answer.status_code, took_s))

    async def _answer(self, kind: str, door: Client) -> httpx.Response:
        if kind == "list":
            return await door.ask("ingest", "/v1/documents?limit=50")
        if kind == "status" and self.documents:
            document_id = random.choice(self.documents)
            return await door.ask("ingest", f"/v1/documents/{document_id}/status")
        answer = await door.upload(invoice(), filename=f"{self.name}-{token_hex(4)}.pdf")
        if answer.is_success:
            self.documents.append(answer.json()["document_id"])
        return answer

    def tell(self, ended_s: float) -> None:
        for kind in MIX:
            took = [took_s * 1000 for asked, _, took_s in self.answers if asked == kind]
            cuts = statistics.quantiles(took, n=100)
            log.info(
                "%s: %d, p50 %.0f ms, p95 %.0f ms, p99 %.0f ms",
                *(kind, len(took), cuts[49], cuts[94], cuts[98]),
            )
        log.info("%d answers after %.1f s", len(self.answers), ended_s)


@pytest.mark.slow
async def test_a_mixed_load_is_served_without_an_error_and_loses_nothing(
    client: Client, stack: Stack, records: Records
) -> None:
    loop, name = asyncio.get_running_loop(), token_hex(6)
    async with replica_of(stack, "ingest", 2) as second, client_of(second) as other:
        load, began = Load([client, other], name), loop.time()
        await load.run(LOAD_S)
        load.tell(loop.time() - began)
        client.promised |= other.promised

    statuses = Counter(status for _, status, _ in load.answers)
    assert {*statuses} == {HTTPStatus.OK, HTTPStatus.ACCEPTED}, statuses
    count = len(load.documents)
    assert count == statuses[HTTPStatus.ACCEPTED]
    assert other.promised, "both replicas were asked"
    await eventually(lambda: records.has_ended(name, count=count), within_s=300, every_s=0.5)
    await records.require_each_once(name, count=count)
    await records.require_balance(client.promised)


@pytest.mark.slow
async def test_one_key_has_one_rate_at_all_replicas(client: Client, stack: Stack) -> None:
    limits = {
        "PAPERLINE_KEY_RATE_PER_S": str(KEY_RATE_PER_S),
        "PAPERLINE_KEY_BURST": str(KEY_BURST),
    }
    login = {"Authorization": f"Bearer {await issued_key(stack, token_hex(4), 'submitter')}"}
    loop = asyncio.get_running_loop()
    async with (
        replica_of(stack, "ingest", 2, **limits) as one,
        replica_of(stack, "ingest", 3, **limits) as two,
    ):
        urls = [f"{each.address('ingest_api')}/v1/documents?limit=1" for each in (one, two)]
        began = loop.time()
        answers = await asyncio.gather(
            *(client.http.get(urls[nth % 2], headers=login) for nth in range(ASKED))
        )
        lasted_s = loop.time() - began

    statuses = Counter(one.status_code for one in answers)
    assert {*statuses} == {HTTPStatus.OK, HTTPStatus.TOO_MANY_REQUESTS}, statuses
    most = KEY_BURST + KEY_RATE_PER_S * lasted_s + LEASED_MAX
    log.info("accepted %d in %.2f s, at most %.1f", statuses[200], lasted_s, most)
    assert KEY_BURST <= statuses[HTTPStatus.OK] <= most
    served = {urls.index(str(one.url)) for one in answers if one.is_success}
    assert served == {0, 1}
    for answer in answers:
        assert answer.headers["RateLimit-Policy"] == f'"key";q={KEY_BURST};w=8'
        assert answer.headers["RateLimit"].startswith('"key";r=')
        if not answer.is_success:
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert int(answer.headers["Retry-After"]) > 0
