"""Who may do what on the private broker."""

import re

import pytest

from deploy.local.broker_users import definitions, password_hash, permissions
from deploy.local.credentials import SERVICES, USERS
from shared.topology.plan import plan

PASSWORDS = {f"broker_{user}": f"secret of {user}" for user in USERS}


def _may(user: str, right: str, name: str) -> bool:
    return re.search(permissions(user)[right], name) is not None


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_configures_anything(service: str) -> None:
    assert not _may(service, "configure", f"{service}.facts")


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "exchange", ["ingest", "jobs", "events", "dead", "delay.00", "delay.15", "delay.home"]
)
def test_every_service_publishes_to_the_exchanges_of_the_plan(
    service: str, exchange: str
) -> None:
    assert _may(service, "write", exchange)


@pytest.mark.parametrize("exchange", ["unroutable", "amq.default", "amq.topic", "jobs2", ""])
def test_no_service_publishes_anywhere_else(exchange: str) -> None:
    assert not _may("extractor", "write", exchange)


def test_only_the_service_that_answers_writes_to_queues_by_their_names() -> None:
    # What the broker calls the default exchange when it asks for rights.
    assert [one for one in USERS if _may(one, "write", "amq.default")] == [
        "admin",
        "topology",
        "ingest",
    ]


@pytest.mark.parametrize("right", ["configure", "write", "read"])
@pytest.mark.parametrize(
    "name", ["ingest.submit", "jobs", "events", "amq.default", "reply.acme", "xamq.gen-1"]
)
def test_a_publisher_reaches_nothing_but_the_door(right: str, name: str) -> None:
    assert not _may("publisher", right, name)


def test_a_publisher_hands_in_and_hears_its_answers() -> None:
    assert _may("publisher", "write", "ingest")
    assert _may("publisher", "configure", "amq.gen-JzTY20BRgKO")
    assert _may("publisher", "read", "amq.gen-JzTY20BRgKO")
    assert not _may("publisher", "write", "amq.gen-JzTY20BRgKO")


def test_a_service_reads_its_own_queues_only() -> None:
    queues = ["ingest.submit", "extractor.extract", "extractor.extract.dead", "xextractor.a"]

    assert [name for name in queues if _may("extractor", "read", name)] == ["extractor.extract"]


def test_the_monitor_drains_every_dead_queue_and_what_nobody_took() -> None:
    queues = ["storage.store.dead", "unroutable", "monitor.facts", "storage.store"]

    assert [name for name in queues if _may("monitor", "read", name)] == queues[:3]


def test_guest_never_exists() -> None:
    names = [user["name"] for user in definitions(PASSWORDS)["users"]]

    assert sorted(names) == sorted(USERS)


def test_a_password_is_not_in_the_definitions() -> None:
    assert "secret of" not in str(definitions(PASSWORDS))


def test_the_same_password_hashes_differently_each_time() -> None:
    assert password_hash("one") != password_hash("one")


@pytest.mark.parametrize("word", ["accepted", "cancelled", "deleted"])
@pytest.mark.parametrize("service", SERVICES)
def test_only_ingest_says_that_a_document_was_taken_in_or_withdrawn(
    service: str, word: str
) -> None:
    refused = {
        one["user"]
        for one in definitions(PASSWORDS)["topic_permissions"]
        if not re.search(one["write"], f"document.{word}")
    }

    assert (service in refused) == (service != "ingest")


def test_a_service_says_everything_else() -> None:
    for one in definitions(PASSWORDS)["topic_permissions"]:
        assert re.search(one["write"], "document.stored")
        assert re.search(one["write"], "document.accepted.late")


def test_the_one_exchange_that_comes_with_the_users_is_as_the_topology_wants_it() -> None:
    [told] = definitions(PASSWORDS)["exchanges"]
    [planned] = [one for one in plan().exchanges if one.name == told["name"]]

    assert (told["type"], told["arguments"]) == (planned.kind, planned.arguments)
    assert (told["durable"], told["auto_delete"], told["internal"]) == (True, False, False)
    named = {one["exchange"] for one in definitions(PASSWORDS)["topic_permissions"]}
    assert named == {told["name"]}
