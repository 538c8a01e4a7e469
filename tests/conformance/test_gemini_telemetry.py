"""What a call tells of itself, and what it never does: the key, or a word of the document."""

import io
import logging
import traceback
from collections.abc import Iterator

import pytest

from services.extractor.domain.providers import Away, Misconfigured, NoReading, Throttled
from shared.observability.metrics import REGISTRY
from shared.observability.tracing import configure_tracing, shutdown_tracing
from tests.conformance.gemini import KEY, Provider, gemini
from tests.fakes.collector import Collector

__all__ = ["gemini"]

MODEL = "gemini-telemetry"
ENDINGS = ("ok", "rate_minute", "error_500", "error_403", "html", "safety", "garbage", "reset")
SECRETS = (KEY, "RE-2024-00482", "Nordwind", "703,53", "703.53", "DE91")


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    configure_tracing("extractor", collector.address)
    yield collector
    shutdown_tracing()
    collector.close()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything that any library says, down to the last detail."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


async def ended(gemini: Provider, mode: str | None) -> str:
    """A document read by a provider that does this, and what a log would say of the error."""
    if mode is not None:
        gemini.double.will(mode)
    try:
        await gemini.read(engine=gemini.engine(model=MODEL))
    except (NoReading, Away, Throttled, Misconfigured):
        return traceback.format_exc()
    return ""


@pytest.mark.parametrize("mode", ENDINGS)
async def test_neither_key_nor_content_is_told_to_anybody(
    mode: str, gemini: Provider, collector: Collector, logged: io.StringIO
) -> None:
    error = await ended(gemini, mode)
    shutdown_tracing()

    told = "\n".join((error, logged.getvalue(), *map(str, collector.spans)))
    assert collector.spans
    assert not [secret for secret in SECRETS if secret in told]


async def test_what_an_error_of_the_api_says_is_told_to_nobody(
    gemini: Provider, collector: Collector, logged: io.StringIO
) -> None:
    gemini.double.will("error_400", None, text=f"the key {KEY} may not read Nordwind")

    error = await ended(gemini, None)
    shutdown_tracing()

    told = "\n".join((error, logged.getvalue(), *map(str, collector.spans)))
    assert "400 INVALID_ARGUMENT" in error
    assert not [secret for secret in SECRETS if secret in told]


async def test_the_span_has_the_names_of_the_convention(
    gemini: Provider, collector: Collector
) -> None:
    await ended(gemini, "ok")
    shutdown_tracing()

    (span,) = collector.spans
    told = {one.key: one.value for one in span.attributes}
    assert span.name == f"generate_content {MODEL}"
    assert told["gen_ai.operation.name"].string_value == "generate_content"
    assert told["gen_ai.provider.name"].string_value == "gcp.gemini"
    assert told["gen_ai.request.model"].string_value == MODEL
    assert told["gen_ai.response.model"].string_value == MODEL
    reasons = told["gen_ai.response.finish_reasons"].array_value.values
    assert [one.string_value for one in reasons] == ["STOP"]
    assert told["gen_ai.usage.input_tokens"].int_value > 0
    assert told["gen_ai.usage.output_tokens"].int_value > 0
    assert told["server.address"].string_value == "127.0.0.1"


@pytest.mark.parametrize(
    ("mode", "outcome", "calls"),
    [
        ("ok", "ok", 1),
        ("rate_minute", "throttled", 1),
        ("rate_day", "throttled_day", 1),
        ("error_503", "away", 1),
        ("error_404", "misconfigured", 1),
        ("safety", "refused", 1),
        ("error_400", "cannot_take", 1),
        ("garbage", "unreadable", 2),
    ],
)
async def test_each_call_is_counted_by_how_it_ended(
    gemini: Provider, mode: str, outcome: str, calls: int
) -> None:
    labels = {"model": MODEL, "outcome": outcome}

    def count() -> float:
        return REGISTRY.get_sample_value("paperline_llm_requests_total", labels) or 0

    before = count()

    await ended(gemini, mode)

    assert count() == before + calls


async def test_tokens_and_money_are_counted(gemini: Provider) -> None:
    def cost() -> float:
        labels = {"model": MODEL}
        return REGISTRY.get_sample_value("paperline_llm_cost_usd_total", labels) or 0

    before = cost()

    await ended(gemini, "ok")

    assert cost() > before
