"""Numbers of the cluster that have to agree, or what is scaled up stands still."""

import re

import pytest
import yaml

from deploy.k8s.table import SERVICES, WORKLOADS
from deploy.local.roles import OWNER_CONNECTIONS_MAX
from deploy.sizing import cluster
from shared.configuration.load import load_configuration
from shared.process.settings import ProcessSettings
from shared.topology.queues import EXTRACT
from tests.house.repository import ROOT

POOL_MAX = ProcessSettings.model_fields["pool_max"].default
K8S = ROOT / "deploy" / "k8s"
# Seconds of a call, as the overlay reckons with.
CALL_S = 4
# Superuser's, and what an operator of the database has open.
SPARE_CONNECTIONS = 20


def _database() -> dict[str, int]:
    told = yaml.safe_load((K8S / "examples" / "database.yaml").read_text())["spec"]
    limits = {one["name"]: one["connectionLimit"] for one in told["managed"]["roles"]}
    return {**limits, "": int(told["postgresql"]["parameters"]["max_connections"])}


def _processes(service: str) -> int:
    """While its deployments are being replaced, each has one more."""
    own = [one for one in WORKLOADS if one.service == service]
    return sum(cluster.replicas_max()[one.name] + 1 for one in own)


@pytest.mark.parametrize("service", SERVICES)
def test_a_role_may_have_as_many_connections_as_its_processes_open(service: str) -> None:
    assert _database()[f"paperline_{service}"] == _processes(service) * POOL_MAX


def test_the_database_has_room_for_all_of_its_roles() -> None:
    limits = _database()
    most = limits.pop("")

    assert sum(limits.values()) + OWNER_CONNECTIONS_MAX + SPARE_CONNECTIONS <= most


def test_the_guide_says_the_same() -> None:
    said = (K8S / "README.md").read_text()
    [(most, replaced, connections)] = re.findall(
        r"at its most is (\d+) processes, and (\d+) while .*?: (\d+) connections",
        said,
        re.DOTALL,
    )

    assert int(most) == sum(cluster.replicas_max().values())
    assert int(replaced) == sum(map(_processes, SERVICES))
    assert int(connections) == int(replaced) * POOL_MAX


def test_the_window_is_four_rounds_of_all_readers() -> None:
    assert cluster.window() == 4 * cluster.readers_scaling().replicas_max * EXTRACT.slots


def test_readers_are_as_many_as_the_provider_allows_and_one() -> None:
    told = load_configuration().configuration.processing.engines.gemini
    per_s = (told and told.requests_per_second) or 0

    assert cluster.readers_scaling().replicas_max == per_s * CALL_S / EXTRACT.slots + 1


def test_a_full_window_asks_for_every_reader_there_may_be() -> None:
    terms = cluster.readers_scaling()
    for ready in range(terms.replicas_min, terms.replicas_max):
        waiting = cluster.window() - ready * EXTRACT.slots
        seconds = waiting / (ready * EXTRACT.slots / CALL_S)

        assert terms.measure == "Value"
        assert terms.waiting_only
        assert ready * seconds / terms.target_s >= terms.replicas_max
