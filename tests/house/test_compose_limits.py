"""No container takes all there is of the machine, or has a right that it does not need."""

import pytest

from deploy.k8s.table import WORKLOADS
from deploy.k8s.workloads import SCRATCH
from deploy.local.brokers import LINES
from tests.containers.engine import STAND_INS
from tests.house.compose_files import services, size_bytes, tmp_bytes
from tests.house.repository import ROOT, SERVICES

GUIDE = " ".join((ROOT / "deploy/SIZING.md").read_text().split())
SERVERS = ("broker", "database", "objects")
# What the entry points of servers do before they go on as nobody in particular: give their
# volume to that account, and become it.
TO_BEGIN = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
EVERY = sorted(services())
every_container = pytest.mark.parametrize("name", EVERY)


@every_container
def test_a_container_has_its_limits(name: str) -> None:
    told = services()[name]

    assert size_bytes(told["mem_limit"]) > 0
    assert 0 < told["pids_limit"] <= 2048
    if "tmpfs" in told:
        assert tmp_bytes(told) < size_bytes(told["mem_limit"])


@every_container
def test_what_a_container_says_does_not_fill_the_disk(name: str) -> None:
    logging = services()[name]["logging"]

    assert logging["driver"] == "json-file"
    kept = size_bytes(logging["options"]["max-size"]) * int(logging["options"]["max-file"])
    assert kept <= 100 * 1024**2


@every_container
def test_a_container_has_no_right_that_it_does_not_need(name: str) -> None:
    told = services()[name]

    assert told["security_opt"] == ["no-new-privileges:true"]
    assert told["cap_drop"] == ["ALL"]
    assert set(told.get("cap_add", [])) == (TO_BEGIN if name in SERVERS else set())
    assert "privileged" not in told


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_may_have_what_it_may_have_in_the_cluster(service: str) -> None:
    """Both doors with all their children, and /tmp, which is memory here and a disk there."""
    told = services()[service]
    doors = [one for one in WORKLOADS if one.service == service]
    rooms = [size_bytes(one.room.memory_max) for one in doors]

    assert tmp_bytes(told) == size_bytes(SCRATCH)
    assert size_bytes(told["mem_limit"]) == sum(rooms) + tmp_bytes(told)


def test_the_guide_says_what_the_machine_needs() -> None:
    told = services().values()
    most = {
        profile: sum(
            size_bytes(one["mem_limit"])
            for one in told
            if one["profiles"] == [profile] and one["restart"] == "unless-stopped"
        )
        / 1024**3
        for profile in ("core", "observability")
    }
    everyday = sum(size_bytes(one.room.memory) for one in WORKLOADS) / 1024**3

    assert f"the profile `core` come to {most['core']:g} GiB" in GUIDE
    assert f"`observability` has {most['observability']:g} GiB" in GUIDE
    assert f"takes {everyday:g} GiB in all five services" in GUIDE


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_is_given_time_to_write_down_what_it_has(name: str) -> None:
    """An engine kills after ten seconds what it was not told about."""
    assert int(services()[name]["stop_grace_period"].removesuffix("s")) >= 60


def test_processes_of_the_database_have_room_to_share() -> None:
    told = services()["database"]

    assert 64 << 20 < size_bytes(told["shm_size"]) < size_bytes(told["mem_limit"])


@every_container
def test_a_container_writes_nowhere_but_to_its_volumes(name: str) -> None:
    """Servers alone write to places of their own images before they begin."""
    assert services()[name].get("read_only", False) == (name not in SERVERS)


def test_the_broker_is_of_a_line_that_is_tested() -> None:
    image = services()["broker"]["image"]
    line = image.removeprefix("rabbitmq:").removesuffix("-management")

    assert line in LINES.values()
    assert image in STAND_INS
    stand_in = ROOT / "tests" / "containers" / "images" / STAND_INS[image] / "Dockerfile"
    assert f"Stands in for {image}:" in stand_in.read_text()


def test_what_the_guides_say_is_tested_is_what_is_tested() -> None:
    *others, last = LINES.values()
    row = f"the same on RabbitMQ {', '.join(others)} and {last}"

    assert row in (ROOT / "CONTRIBUTING.md").read_text()
