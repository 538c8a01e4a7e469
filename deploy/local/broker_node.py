"""What a private RabbitMQ node is told: its name, its ports, and with whom it makes a cluster.

Everything listens on loopback. A node of several shares its stack's epmd, cookie and users
with the others and has all else for itself; on a host of its own, an epmd as well.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.local.broker_limits import OF_A_NODE
from deploy.local.broker_users import VHOST

COMPONENT = "rabbitmq"
EPMD = EPMD_PORT = "epmd"
DEFINITIONS = "definitions.json"
OWN_PORTS = ("amqp", "broker_api", "broker_metrics", "erlang_distribution")


@dataclass(frozen=True, slots=True)
class Member:
    """The n-th node of so many. The only one has names without a number."""

    number: int = 1
    of: int = 1

    @property
    def component(self) -> str:
        return f"{COMPONENT}{self._suffix}"

    @property
    def node(self) -> str:
        return f"paperline{self._suffix}@{self.host}"

    @property
    def host(self) -> str:
        """As its peers call it. One with dots makes long names of Erlang's."""
        return "localhost"

    @property
    def address(self) -> str:
        """The only one at which it listens."""
        return "127.0.0.1"

    @property
    def epmd(self) -> str:
        """The component that tells its peers its port."""
        return EPMD

    @property
    def entering(self) -> Sequence[str]:
        """What stands before a command so that it runs on its host, if that is not ours."""
        return ()

    @property
    def ports(self) -> tuple[str, ...]:
        return (*(f"{name}{self._suffix}" for name in OWN_PORTS), EPMD_PORT)

    @property
    def peers(self) -> tuple[str, ...]:
        return tuple(replace(self, number=number).node for number in range(1, self.of + 1))

    def own(self, known: Mapping[str, int]) -> dict[str, int]:
        """Of all the stack's ports this node's, by the names they have without a number."""
        mine = {name: known[f"{name}{self._suffix}"] for name in OWN_PORTS}
        return {**mine, EPMD_PORT: known[EPMD_PORT]}

    @property
    def _suffix(self) -> str:
        return "" if self.of == 1 else f"-{self.number}"


ALONE = Member()


# Queues of several nodes ask this often whether their leader is still there. The broker's own
# five seconds would let publishing stand still for ten when a network is cut. Erlang's terms,
# because RabbitMQ 3.10 has no other name for it.
FINER = "[{aten, [{poll_interval, 1000}]}].\n"


def configuration(folder: Path, ports: Mapping[str, int], member: Member = ALONE) -> str:
    lines: dict[str, object] = {
        "listeners.tcp.default": f"{member.address}:{ports['amqp']}",
        "management.tcp.ip": member.address,
        "management.tcp.port": ports["broker_api"],
        "prometheus.tcp.ip": member.address,
        "prometheus.tcp.port": ports["broker_metrics"],
        "load_definitions": folder / DEFINITIONS,
        "default_vhost": VHOST,
        "log.console": "true",
        "log.console.level": "info",
        "vm_memory_high_watermark.absolute": "400MiB",
        "disk_free_limit.absolute": "100MB",
        "collect_statistics_interval": 1000,
        **OF_A_NODE,
    }
    if member.of > 1:
        lines |= _of_a_cluster(member)
    return "".join(f"{name} = {value}\n" for name, value in lines.items())


def environment(
    folder: Path, ports: Mapping[str, int], member: Member = ALONE
) -> dict[str, str]:
    own = ",".join(member.address.split("."))
    names = {"RABBITMQ_USE_LONGNAME": "true"} if "." in member.host else {}
    return names | {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(ports[EPMD_PORT]),
        "ERL_EPMD_ADDRESS": member.address,
        # Lets the start script become the node, so the pid we know is the node's.
        "RUNNING_UNDER_SYSTEMD": "true",
        "RABBITMQ_CONF_ENV_FILE": os.devnull,
        "RABBITMQ_NODENAME": member.node,
        "RABBITMQ_DIST_PORT": str(ports["erlang_distribution"]),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
        "RABBITMQ_SCHEMA_DIR": str(folder / "schema"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"-kernel inet_dist_use_interface {{{own}}}",
    }


def _of_a_cluster(member: Member) -> dict[str, object]:
    peers = enumerate(member.peers, start=1)
    return {
        "cluster_formation.peer_discovery_backend": "classic_config",
        **{f"cluster_formation.classic_config.nodes.{n}": peer for n, peer in peers},
        # Whoever is in the minority stops serving instead of promising what nobody keeps.
        "cluster_partition_handling": "pause_minority",
        # Its default of a minute is how long a node that hangs would be taken for well.
        "net_ticktime": 5,
        # Or the node on which the topology was declared would lead all queues.
        "queue_leader_locator": "balanced",
    }
