"""Who may do what on the private broker."""

import re

import pytest

from deploy.local.broker_users import VHOST, definitions, password_hash, permissions
from deploy.local.credentials import SERVICES, USERS
from deploy.local.sayers import SAYERS
from shared.topology.plan import plan

PASSWORDS = {f"broker_{user}": f"secret of {user}" for user in USERS}


def _may(user: str, right: str, name: str) -> bool:
    return re.search(permissions(user)[right], name) is not None


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_configures_anything(service: str) -> None:
    assert not _may(service, "configure", f"{service}.facts")


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("exchange", ["jobs", "events", "dead", "delay.00", "delay.15"])
def test_every_service_publishes_to_the_exchanges_that_it_uses(
    service: str, exchange: str
) -> None:
    assert _may(service, "write", exchange)


@pytest.mark.parametrize(
    "exchange",
    ["ingest", "delay.home", "unroutable", "amq.default", "amq.topic", "jobs2", ""],
)
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


def test_a_leak_of_queues_or_connections_ends_before_the_broker_does() -> None:
    [limits] = definitions(PASSWORDS)["parameters"]

    assert (limits["component"], limits["name"], limits["vhost"]) == (
        "vhost-limits",
        "limits",
        VHOST,
    )
    # With room for the answer queues of many programs outside.
    assert len(plan().queues) * 10 < limits["value"]["max-queues"] <= 1000
    assert 0 < limits["value"]["max-connections"] <= 1000


def test_programs_outside_never_take_the_last_connection_from_our_own() -> None:
    [limits] = definitions(PASSWORDS)["parameters"]
    told = {user["name"]: user["limits"] for user in definitions(PASSWORDS)["users"]}

    assert told.pop("publisher")["max-connections"] < limits["value"]["max-connections"]
    assert set(map(str, told.values())) == {"{}"}


def test_guest_never_exists() -> None:
    names = [user["name"] for user in definitions(PASSWORDS)["users"]]

    assert sorted(names) == sorted(USERS)


def test_a_password_is_not_in_the_definitions() -> None:
    assert "secret of" not in str(definitions(PASSWORDS))


def test_the_same_password_hashes_differently_each_time() -> None:
    assert password_hash("one") != password_hash("one")


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_says_its_own_facts_and_no_others(service: str) -> None:
    tried = [*SAYERS, "document.invented", "document.stored.late", "late.document.stored", ""]

    said = [fact for fact in tried if re.search(_topics(service), fact)]

    assert said == [fact for fact in SAYERS if service in SAYERS[fact]]
    assert 0 < len(said) < len(SAYERS)


def test_no_service_hears_facts_by_a_binding_of_its_own() -> None:
    [pattern] = {one["read"] for one in definitions(PASSWORDS)["topic_permissions"]}

    assert not re.search(pattern, "document.stored")


def _topics(service: str) -> str:
    [told] = [
        one for one in definitions(PASSWORDS)["topic_permissions"] if one["user"] == service
    ]
    pattern = told["write"]
    assert isinstance(pattern, str)
    return pattern


def test_the_one_exchange_that_comes_with_the_users_is_as_the_topology_wants_it() -> None:
    [told] = definitions(PASSWORDS)["exchanges"]
    [planned] = [one for one in plan().exchanges if one.name == told["name"]]

    assert (told["type"], told["arguments"]) == (planned.kind, planned.arguments)
    assert (told["durable"], told["auto_delete"], told["internal"]) == (True, False, False)
    named = {one["exchange"] for one in definitions(PASSWORDS)["topic_permissions"]}
    assert named == {told["name"]}
