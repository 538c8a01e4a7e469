"""A stack that works, seen by a real Prometheus: metrics are there, and panels show them."""

import re
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from deploy.grafana.__main__ import DASHBOARDS
from deploy.local.prometheus import ADVICE, prometheus_program
from shared.observability import metrics
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.prometheus import Prometheus, watching
from tests.system.stack import SERVICES, Stack

SERIES_MAX = 2_000
AN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{24}")
QUERIES = [
    pytest.param(query.expr, id=f"{board.name}: {panel.title}: {query.legend}")
    for board in DASHBOARDS
    for panel in board.panels
    for query in panel.queries
]

Scraped = dict[str, list[tuple[str, dict[str, str]]]]


async def some_work(client: Client) -> None:
    """A document read, approved and asked for again, a copy of it, and one that fails."""
    content = invoice()
    first = await client.hand_in(content)
    await client.ends(first)
    await client.ends(await client.hand_in(content))
    await client.ends(await client.hand_in(invoice(ENCRYPTED)))
    await client.review_item(first)
    await client.approve(first)


@pytest.fixture(scope="module")
async def watcher(
    stack: Stack, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Prometheus]:
    program = prometheus_program()
    if program is None:
        pytest.skip(f"no Prometheus: {ADVICE}")
    async with watching(program, stack, tmp_path_factory.mktemp("prometheus")) as watcher:
        yield watcher


@pytest.fixture(scope="module")
async def prometheus(watcher: Prometheus, client: Client) -> Prometheus:
    """It sees how counters rise, not only how high they are."""
    await some_work(client)
    return watcher


@pytest.fixture(scope="module")
async def scraped(stack: Stack, client: Client) -> Scraped:
    """What each service says of itself: samples with their labels."""
    await some_work(client)
    found: Scraped = {}
    async with httpx.AsyncClient() as http:
        for service in SERVICES:
            told = await http.get(stack.address(f"{service}_ops") + "/metrics")
            families = text_string_to_metric_families(told.text)
            found[service] = [
                (one.name, dict(one.labels)) for family in families for one in family.samples
            ]
    return found


def test_every_metric_is_told_of_by_every_service_or_has_labels(scraped: Scraped) -> None:
    names = {name for samples in scraped.values() for name, _ in samples}
    unlabelled = {
        one._name
        for one in vars(metrics).values()
        if isinstance(one, MetricWrapperBase) and not one._labelnames
    }

    missing = [
        one for one in sorted(unlabelled) if not names & {one, f"{one}_total", f"{one}_count"}
    ]

    assert not missing


def test_no_label_of_a_running_service_is_an_identity(scraped: Scraped) -> None:
    told = [
        (service, name, labels)
        for service, samples in scraped.items()
        for name, labels in samples
        if any(AN_ID.search(text) for text in labels.values())
    ]

    assert not told


@pytest.mark.parametrize("service", SERVICES)
def test_a_process_has_its_budget_of_series(scraped: Scraped, service: str) -> None:
    told = Counter(name for name, _ in scraped[service])
    assert 100 < told.total() <= SERIES_MAX, told.most_common(5)


@pytest.mark.parametrize("expr", QUERIES)
async def test_a_panel_shows_something(prometheus: Prometheus, expr: str) -> None:
    asked = expr.replace("$__rate_interval", "5m")

    async def has_series() -> bool:
        return bool(await prometheus.series(asked))

    # The monitor looks at its tables every 15 seconds.
    await eventually(has_series, within_s=45, every_s=0.5)


async def test_a_slow_request_leads_to_its_trace(
    prometheus: Prometheus, client: Client
) -> None:
    trace_id = "5ca1ab1e" * 4
    await client.upload(invoice(), traceparent=f"00-{trace_id}-{'5c' * 8}-01")

    async def is_kept() -> bool:
        told = await prometheus.exemplars("paperline_http_request_seconds_bucket")
        return trace_id in told

    await eventually(is_kept, within_s=20, every_s=0.5)
