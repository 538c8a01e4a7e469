"""The provider's real client behind a network that stumbles: each call ends, in time and once.

The double answers as it should; what becomes of its answer on the way is the test's.
"""

import time
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from services.extractor.domain.providers import Away
from tests.conformance.gemini import Provider, gemini
from tests.fault_proxy import Cut, Fault, FaultProxy, Forward, Silence, fault_proxy

__all__ = ["gemini"]

DEADLINE_S = 1.5


@pytest.fixture
async def proxy(gemini: Provider) -> AsyncIterator[FaultProxy]:
    address = urlsplit(gemini.double.url)
    async with fault_proxy(str(address.hostname), address.port or 0) as proxy:
        yield proxy
        # Its client closes its connections behind it.
        await gemini.close()


def _through(gemini: Provider, proxy: FaultProxy, deadline_s: float) -> None:
    gemini.engine(base_url=f"http://127.0.0.1:{proxy.port}", deadline_s=deadline_s)


@pytest.mark.parametrize(
    ("fault", "asked"),
    [(Silence("client"), 1), (Silence("server"), 0)],
    ids=["the answer", "the question"],
)
async def test_a_network_that_swallows_a_call_ends_with_its_deadline(
    gemini: Provider, proxy: FaultProxy, fault: Fault, asked: int
) -> None:
    _through(gemini, proxy, DEADLINE_S)
    proxy.do(fault)
    began = time.monotonic()

    with pytest.raises(Away) as away:
        await gemini.read()

    # Nobody can say whether it was paid for.
    assert (away.value.reason, away.value.spend_unknown) == ("timeout", True)
    assert DEADLINE_S <= time.monotonic() - began < 4 * DEADLINE_S
    assert (gemini.double.ledger.count, proxy.struck) == (asked, 1)


@pytest.mark.parametrize("after_bytes", [0, 9, 400], ids=str)
async def test_an_answer_that_is_reset_at_any_byte_is_away_and_is_not_asked_for_again(
    gemini: Provider, proxy: FaultProxy, after_bytes: int
) -> None:
    _through(gemini, proxy, 20)
    proxy.do(Cut("client", after_bytes=after_bytes))

    with pytest.raises(Away) as away:
        await gemini.read()

    assert (away.value.reason, away.value.spend_unknown) == ("garbled_transport", True)
    assert (gemini.double.ledger.count, proxy.struck) == (1, 1)


async def test_a_question_that_is_reset_on_its_way_reaches_nobody_and_the_next_is_answered(
    gemini: Provider, proxy: FaultProxy
) -> None:
    _through(gemini, proxy, 20)
    proxy.do(Cut("server", after_bytes=1_000, times=1))

    with pytest.raises(Away):
        await gemini.read()
    assert gemini.double.ledger.count == 0

    assert (await gemini.read()).fields
    assert gemini.double.ledger.count == 1


async def test_a_slow_network_within_the_deadline_costs_time_and_nothing_else(
    gemini: Provider, proxy: FaultProxy
) -> None:
    _through(gemini, proxy, 20)
    proxy.do(Forward(latency_s=0.3))

    assert (await gemini.read()).fields
    assert gemini.double.ledger.count == 1
