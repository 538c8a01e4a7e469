"""Servers given by the user replace the private ones."""

from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.endpoints import endpoints, has_private_broker, has_private_database
from deploy.local.errors import StackError
from deploy.local.state import State
from shared.blobs.filesystem import TEMP
from shared.blobs.open import open_blobs


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    for name in ("DATABASE_URL", "AMQP_URL", "AMQP_API_URL", "S3_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    state = State(tmp_path)
    state.create()
    ports.ensure(state, ["postgres", "amqp", "broker_api"])
    return state


def test_each_service_has_accounts_of_its_own(state: State) -> None:
    reach = endpoints(state)

    assert reach.database["ingest"].startswith("postgresql://paperline_ingest:")
    assert reach.amqp["review"].startswith("amqp://review:")
    assert len(set(reach.database.values())) == 5


def test_a_given_database_serves_every_service(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://me@db/mine")

    reach = endpoints(state)

    assert {*reach.database.values(), reach.database_owner} == {"postgresql://me@db/mine"}


def test_a_variable_without_a_value_gives_no_server(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
        monkeypatch.setenv(name, "")

    reach = endpoints(state)

    assert has_private_database()
    assert has_private_broker()
    assert "@127.0.0.1:" in reach.database_owner
    assert "@127.0.0.1:" in reach.amqp["ingest"]


def test_the_bytes_lie_in_the_state_folder_whatever_that_is_called(state: State) -> None:
    odd = State(state.root / "C# 100%20 ?ä")
    odd.create()
    ports.ensure(odd, ["postgres", "amqp", "broker_api"])

    open_blobs(endpoints(odd).blobs["PAPERLINE_BLOBS_URL"])

    assert [one.name for one in odd.blobs.iterdir()] == [TEMP]


@pytest.mark.parametrize(
    ("amqp", "api"),
    [
        ("amqp://me:pw@broker/v", "http://me:pw@broker:15672"),
        ("amqps://me:pw@broker:5671/v", "https://me:pw@broker:15671"),
        ("amqp://broker", "http://broker:15672"),
    ],
)
def test_the_api_of_a_given_broker_is_sought_on_its_default_port(
    state: State, monkeypatch: pytest.MonkeyPatch, amqp: str, api: str
) -> None:
    monkeypatch.setenv("AMQP_URL", amqp)

    assert endpoints(state).broker_api["topology"] == api


def test_half_an_object_store_is_refused_with_what_is_missing(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3_ENDPOINT", "http://store")
    monkeypatch.setenv("S3_BUCKET", "papers")

    with pytest.raises(StackError, match="S3_ACCESS_KEY, S3_SECRET_KEY as well"):
        endpoints(state)


def test_a_stack_that_never_started_says_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="paperline up"):
        endpoints(State(tmp_path))
