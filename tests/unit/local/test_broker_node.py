"""What the nodes of a private broker are told: alone as ever, several as one cluster."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local.broker_node import ALONE, Member, configuration, environment
from deploy.local.rabbitmq import PORTS

MEMBERS = [Member(number, 3) for number in (1, 2, 3)]
PORT = dict.fromkeys(("amqp", "broker_api", "broker_metrics", "erlang_distribution", "epmd"), 1)


def test_a_node_that_is_alone_has_plain_names_and_hears_of_no_cluster() -> None:
    assert PORTS == ("amqp", "broker_api", "broker_metrics", "erlang_distribution", "epmd")
    assert (ALONE.component, ALONE.node) == ("rabbitmq", "paperline@localhost")
    assert "cluster" not in configuration(Path("/there"), PORT)


@pytest.mark.parametrize("member", [ALONE, *MEMBERS])
def test_every_node_limits_what_a_client_takes(member: Member) -> None:
    told = configuration(Path("/there"), PORT, member).splitlines()

    assert "max_message_size = 1048576" in told
    assert "channel_max = 256" in told


def test_nodes_of_a_cluster_share_epmd_and_nothing_else() -> None:
    taken = [set(one.ports) for one in MEMBERS]

    assert set.intersection(*taken) == {"epmd"}
    assert len(set.union(*taken)) == 3 * 4 + 1


def test_each_finds_its_own_ports_under_the_plain_names() -> None:
    known = {name: number for number, name in enumerate(MEMBERS[1].ports)}

    assert MEMBERS[1].own(known) == {name: number for number, name in enumerate(PORTS)}


def test_every_node_of_a_cluster_knows_all_and_its_own_name() -> None:
    told = [configuration(Path("/there"), PORT, one) for one in MEMBERS]

    assert told[0] == told[1] == told[2]
    assert all(f"nodes.{one.number} = {one.node}\n" in told[0] for one in MEMBERS)
    names = [environment(Path("/there"), PORT, one)["RABBITMQ_NODENAME"] for one in MEMBERS]
    assert names == [one.node for one in MEMBERS]


@dataclass(frozen=True, slots=True)
class Apart(Member):
    """On a host of its own, as a test of a cut network has it."""

    @property
    def address(self) -> str:
        return f"198.18.0.{self.number}"

    @property
    def host(self) -> str:
        return self.address


def test_a_node_on_a_host_of_its_own_listens_there_and_is_called_by_its_address() -> None:
    apart = Apart(2, 3)

    lines, names = (
        configuration(Path("/there"), PORT, apart),
        environment(Path("/there"), PORT, apart),
    )

    assert apart.peers == tuple(f"paperline-{n}@198.18.0.{n}" for n in (1, 2, 3))
    assert "127" not in lines + "".join(names.values())
    assert names["RABBITMQ_USE_LONGNAME"] == "true"
    assert "{198,18,0,2}" in names["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"]
    assert "RABBITMQ_USE_LONGNAME" not in environment(Path("/there"), PORT)
