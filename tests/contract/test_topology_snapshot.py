"""The committed topology is the planned one: arguments of a queue cannot be changed later."""

from tests.contract.topology_snapshot import snapshot
from tests.house.repository import ROOT


def test_the_topology_changes_only_in_sight_of_a_reviewer() -> None:
    committed = (ROOT / "tests/contract/topology.txt").read_text()
    hint = "python -m tests.contract.topology_snapshot > tests/contract/topology.txt"

    assert snapshot() == committed, f"if this is meant, write it anew: {hint}"
