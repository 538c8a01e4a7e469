"""A stack that works, seen by a real Prometheus: metrics are there, and panels show them."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial

import httpx
import pytest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from deploy.grafana.__main__ import DASHBOARDS
from deploy.local.prometheus import ADVICE, prometheus_program
from shared.observability import metrics
from tests.eventually import eventually
from tests.prometheus import Prometheus, watching
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.stack import SERVICES, Stack

SERIES_MAX = 2_000
AN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{24}")
QUERIES = {
    f"{board.name}: {panel.title}: {query.legend}": query.expr
    for board in DASHBOARDS
    for panel in board.panels
    for query in panel.queries
}

Scraped = dict[str, list[tuple[str, dict[str, str]]]]


async def some_work(client: Client) -> None:
    """A document read, approved and asked for again, a copy of it, and one that fails."""
    content = invoice()
    first, broken = await asyncio.gather(
        client.hand_in(content), client.hand_in(invoice(ENCRYPTED))
    )
    await client.ends(first)
    await client.ends(await client.hand_in(content))
    await client.review_item(first)
    await client.approve(first)
    await client.ends(broken)


@pytest.fixture(scope="module")
async def watcher(
    stack: Stack, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Prometheus | None]:
    program = prometheus_program()
    if program is None:
        yield None
        return
    folder = tmp_path_factory.mktemp("prometheus")
    async with watching(program, stack.ops_ports, folder) as watcher:
        yield watcher


async def _promises_are_counted(watcher: Prometheus) -> bool:
    counted = {one["metric"]["slo"] for one in await watcher.series("paperline:slo_all:rate5m")}
    promised = {one["metric"]["slo"] for one in await watcher.series("paperline:slo_budget")}
    return bool(promised) and counted == promised


@pytest.fixture(scope="module")
async def worked(watcher: Prometheus | None, stack: Stack, client: Client) -> None:
    """Once for all: it sees how counters rise, not only how high they are. So what a process
    counts for the first time since it was started is seen before more is done."""
    await some_work(client)
    if watcher is not None:
        await eventually(partial(_promises_are_counted, watcher))
        await some_work(client)
    # Whoever asks the monitor for its metrics has them measured, and not 15 seconds later.
    await client.http.get(
        stack.address("monitor_api") + "/api/metrics",
        headers={"Authorization": f"Bearer {stack.key}"},
    )


@pytest.fixture(scope="module")
async def prometheus(watcher: Prometheus | None, worked: None) -> Prometheus:
    if watcher is None:
        pytest.skip(f"no Prometheus: {ADVICE}")
    return watcher


@pytest.fixture(scope="module")
async def shown(prometheus: Prometheus) -> set[str]:
    """The queries that show something: all at once, as soon as the work was scraped."""
    found = set[str]()

    async def all_of_them() -> bool:
        for expr in set(QUERIES.values()) - found:
            if await prometheus.series(expr.replace("$__rate_interval", "5m")):
                found.add(expr)
        return len(found) == len(set(QUERIES.values()))

    with suppress(AssertionError):
        await eventually(all_of_them, within_s=20, every_s=0.5)
    return found


@pytest.fixture(scope="module")
async def scraped(stack: Stack, worked: None) -> Scraped:
    """What each service says of itself: samples with their labels."""
    found: Scraped = {}
    async with httpx.AsyncClient() as http:
        for service, port in stack.ops_ports.items():
            told = await http.get(f"http://127.0.0.1:{port}/metrics")
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


@pytest.mark.parametrize("panel", QUERIES)
def test_a_panel_shows_something(shown: set[str], panel: str) -> None:
    assert QUERIES[panel] in shown, QUERIES[panel]


async def test_a_slow_request_leads_to_its_trace(
    prometheus: Prometheus, client: Client
) -> None:
    trace_id = "5ca1ab1e" * 4
    await client.upload(invoice(), traceparent=f"00-{trace_id}-{'5c' * 8}-01")

    async def is_kept() -> bool:
        told = await prometheus.exemplars("paperline_http_request_seconds_bucket")
        return trace_id in told

    await eventually(is_kept, within_s=20, every_s=0.5)
