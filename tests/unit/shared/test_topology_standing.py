"""What the topology command says of the broker it stands before."""

import pytest

from shared.topology.standing import Broker, refusal, urgency


def test_classic_work_queues_are_refused_on_a_cluster_and_the_remedy_is_told() -> None:
    told = refusal(Broker("4.3.6", nodes=3), "classic") or ""

    assert "3 nodes" in told
    assert "PAPERLINE_BROKER_WORK_QUEUES=quorum" in told
    assert "migrate" in told


@pytest.mark.parametrize(
    ("nodes", "kind"), [(1, "classic"), (1, "quorum"), (3, "quorum")], ids=str
)
def test_anything_else_is_taken(nodes: int, kind: str) -> None:
    assert refusal(Broker("4.3.6", nodes), "quorum" if kind == "quorum" else "classic") is None


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("3.10.8", "do not overtake"),
        ("3.13.7", "do not overtake"),
        ("4.0.5", "two turns of three"),
        ("4.2.9", "two turns of three"),
        ("4.3.6", "overtake at once"),
        ("5.0.0-beta.1", "overtake at once"),
    ],
)
def test_what_urgent_means_in_a_quorum_queue_is_the_versions(version: str, says: str) -> None:
    assert says in urgency(Broker(version, nodes=3), "quorum")


def test_urgent_documents_overtake_in_classic_queues_of_any_version() -> None:
    assert "urgent documents overtake at once" in urgency(Broker("3.10.8", nodes=1), "classic")
