"""Three hosts and the switch between them, as network namespaces of this machine's kernel.

A cut is silent, as a real one is: packets vanish, nobody is told. Whoever is deaf to a host
drops what comes from it; an unplugged host hears nobody and nobody hears it. Names and
addresses follow from the state folder, so two runs do not meet, and what a killed run has
left behind is removed by the next one in the same folder.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from deploy.local.state import State

# Set aside for tests of networks, so nothing else in the world is called so.
RANGE = IPv4Network("198.18.0.0/15")
SIZE, OURS, PREFIX = 3, 6, 29
HOSTS = range(1, SIZE + 1)
CUT, LOCAL = "10", "100"


class NotPermitted(Exception):
    """There is no network of one's own to be had here; the message says why."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to cut a network of three."""

    name: str
    # Who hears nothing of whom any more.
    deaf: frozenset[tuple[int, int]] = frozenset()
    unplugged: int | None = None
    # Who may go on without the others, and who must not; nobody, if no two hear each other.
    majority: frozenset[int] = frozenset()

    @property
    def minority(self) -> frozenset[int]:
        return frozenset(HOSTS) - self.majority


def apart(name: str, alone: int) -> Shape:
    """One and two; clients still reach all of them."""
    others = frozenset(HOSTS) - {alone}
    deaf = {(alone, other) for other in others} | {(other, alone) for other in others}
    return Shape(name, frozenset(deaf), majority=others)


def ring(name: str) -> Shape:
    """Everybody hears a majority, and everybody another one."""
    return Shape(name, frozenset((one, one % SIZE + 1) for one in HOSTS))


def unplugged(name: str, alone: int) -> Shape:
    """Nobody reaches that one, clients neither."""
    return Shape(name, unplugged=alone, majority=frozenset(HOSTS) - {alone})


@dataclass(frozen=True, slots=True)
class Network:
    name: str
    subnet: IPv4Network

    @classmethod
    def of(cls, state: State) -> "Network":
        places = 2 ** (PREFIX - RANGE.prefixlen)
        at = int(state.name, 16) % places * 2 ** (32 - PREFIX)
        first = IPv4Address(int(RANGE.network_address) + at)
        return cls(f"pl{state.name[:9]}", IPv4Network((first, PREFIX)))

    def address(self, number: int) -> str:
        return str(self.subnet[number])

    def entering(self, host: int) -> Sequence[str]:
        return ("ip", "netns", "exec", self._host(host))

    @contextmanager
    def made(self) -> Iterator[None]:
        self.remove()
        try:
            try:
                self._make()
            except (FileNotFoundError, subprocess.CalledProcessError) as error:
                told = getattr(error, "stderr", "") or error
                raise NotPermitted(str(told).strip()) from error
            yield
        finally:
            self.remove()

    def remove(self) -> None:
        """What there is of it; that nothing is there is no failure."""
        if shutil.which("ip") is None:
            return
        for words in (
            ("link", "del", self.name),
            *(("netns", "del", one) for one in (self._switch, *map(self._host, HOSTS))),
        ):
            subprocess.run(["ip", *words], check=False, capture_output=True)

    @contextmanager
    def cut(self, shape: Shape) -> Iterator[None]:
        with ExitStack() as undo:
            for host, other in shape.deaf:
                rule = ("pref", CUT, "from", self.address(other), "blackhole")
                _ip("-n", self._host(host), "rule", "add", *rule)
                undo.callback(_ip, "-n", self._host(host), "rule", "del", *rule)
            if shape.unplugged is not None:
                port = ("-n", self._switch, "link", "set", f"port{shape.unplugged}")
                _ip(*port, "nomaster")
                undo.callback(_ip, *port, "master", "hub")
            yield

    def _make(self) -> None:
        for one in (self._switch, *map(self._host, HOSTS)):
            _ip("netns", "add", one)
            _ip("-n", one, "link", "set", "lo", "up")
        _ip("-n", self._switch, "link", "add", "name", "hub", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "hub", "up")
        for host in HOSTS:
            self._plug_in(host)
        _ip(
            "link",
            "add",
            self.name,
            "type",
            "veth",
            "peer",
            "name",
            "port",
            "netns",
            self._switch,
        )
        self._join("port")
        _ip("address", "add", f"{self.address(OURS)}/{PREFIX}", "dev", self.name)
        _ip("link", "set", self.name, "up")

    def _plug_in(self, host: int) -> None:
        inside, port = ("-n", self._host(host)), f"port{host}"
        peer = ("peer", "name", "eth0", "netns", self._host(host))
        _ip("-n", self._switch, "link", "add", port, "type", "veth", *peer)
        self._join(port)
        _ip(*inside, "address", "add", f"{self.address(host)}/{PREFIX}", "dev", "eth0")
        _ip(*inside, "link", "set", "eth0", "up")
        # What is for us is looked at first, and of a known connection not looked at at all:
        # so no rule could tell whom we do not hear.
        _ip(*inside, "rule", "add", "pref", LOCAL, "lookup", "local")
        _ip(*inside, "rule", "del", "pref", "0")
        early = "echo 0 > /proc/sys/net/ipv4/ip_early_demux"
        _ip("netns", "exec", self._host(host), "sh", "-c", early)

    def _join(self, port: str) -> None:
        _ip("-n", self._switch, "link", "set", port, "master", "hub")
        _ip("-n", self._switch, "link", "set", port, "up")

    @property
    def _switch(self) -> str:
        return f"{self.name}-switch"

    def _host(self, number: int) -> str:
        return f"{self.name}-{number}"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
