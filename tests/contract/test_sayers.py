"""Whom the broker lets say a fact, and who says it in the code, are the same services."""

import ast
from collections.abc import Iterator

import pytest

from deploy.local.credentials import SERVICES
from deploy.local.sayers import EVERY_SERVICE, SAYERS
from shared.contracts.facts import FACTS
from shared.contracts.processes import ServiceLevelBreachedV1, ServiceLevelRestoredV1
from shared.topology.queues import STEER, WORK_QUEUES
from tests.house.repository import ROOT, Source

TYPES = {fact.__name__: fact.type for fact in FACTS}
# Of each service's own consumers and processes: replays settled, pauses, that it is there.
OF_ALL = {"replay.settled", "consumption.paused", "consumption.resumed", "process.reported"}
# Told by the consumer of a queue whose failure ends a document.
OF_FAILURES = {"document.failed", "document.waiting"}
# Made to speak in the name of a job that is not at hand any more, and never sent.
NOT_SENT = {("storage", "document.deleted")}
# Chosen by a condition, and made under another name.
CHOSEN = {("monitor", one.type) for one in (ServiceLevelBreachedV1, ServiceLevelRestoredV1)}


def _made(folder: str) -> set[str]:
    """The facts that its code makes."""
    return {
        TYPES[name]
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in Source(path).nodes()
        if isinstance(node, ast.Call)
        for name in _called(node.func)
        if name in TYPES
    }


def _called(func: ast.expr) -> Iterator[str]:
    if isinstance(func, ast.Name):
        yield func.id
    elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        # FactV1.after(…), FactV1.model_validate(…)
        yield func.value.id


def test_every_fact_of_the_contracts_has_somebody_who_says_it() -> None:
    assert set(SAYERS) == {fact.type for fact in FACTS}
    assert all(SAYERS.values())
    assert all(set(sayers) <= set(SERVICES) for sayers in SAYERS.values())


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_may_say_what_its_code_makes_and_nothing_else(service: str) -> None:
    own = {(service, fact) for fact in _made(f"services/{service}")} | {
        one for one in CHOSEN if one[0] == service
    }
    failing = {queue.service for queue in WORK_QUEUES if queue.fails_document}
    of_shared = OF_ALL | (OF_FAILURES if service in failing else set())

    may = {fact for fact, sayers in SAYERS.items() if service in sayers}

    assert may == {fact for _, fact in own - NOT_SENT} | of_shared


def test_what_shared_code_says_is_known() -> None:
    assert _made("shared") == OF_ALL | OF_FAILURES
    assert set(STEER) == set(EVERY_SERVICE)
