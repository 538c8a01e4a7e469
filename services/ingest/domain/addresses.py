"""Which addresses we connect to because a client named them, and which never.

A client could name our own database, or the machine that hands out the cloud's credentials.
So a URL is read by one strict reader of ours, every address that its name stands for is
checked, and what was checked is what is connected to. Not public means refused, unless the
operator allowed the network; an address that carries another inside is judged by that one.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

URL_CHARS_MAX = 2_000
NAME_CHARS_MAX = 253
DEFAULT_PORTS = {"http": 80, "https": 443}
# Below are the services of a machine itself: mail, names, files, remote shells.
PORT_MIN = 1024

# Else four letters from beyond ASCII would pass for an s, an i or a k.
_ANY_CASE = re.IGNORECASE | re.ASCII
# Printable ASCII without the characters that readers of addresses disagree about.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[!$-;=?-\[\]_a-z{|}~]*)?",
    _ANY_CASE,
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", _ANY_CASE)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", _ANY_CASE)

# Global unicast. What lies outside is local, reserved, or means something else than a host.
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_MAPPED_V4 = ipaddress.IPv6Network("::ffff:0:0/96")
# How a network without IPv4 reaches a host that has nothing else.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.88.99.0/24",  # relays of 6to4
            "192.0.0.0/24",  # of protocols, not of hosts
            "168.63.129.16/32",  # public by its number, inside every machine of one cloud
            "2001::/23",  # Teredo and other protocols' own
            "2001:db8::/32",
            "2002::/16",  # 6to4: an IPv4 address in disguise
            "3fff::/20",
        ),
    )
)


def networks_of(text: str) -> tuple[Network, ...]:
    """From a list with commas. Raises ValueError for what is no network."""
    return tuple(ipaddress.ip_network(one.strip()) for one in text.split(",") if one.strip())


class Refused(ValueError):
    """It cannot be told there; the text is for the client."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in parts. `host` is a name in lower case or an address without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """As the header Host has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def address(self) -> Address | None:
        """None where the host is a name."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Policy:
    """`allowed` are networks that may be told although they are not public."""

    allowed: tuple[Network, ...] = ()
    plain_http: bool = False

    def target(self, url: str) -> Target:
        """Raises Refused, with words for the client; names are not looked up here."""
        target = _parsed(url)
        if target.scheme == "http" and not self.plain_http:
            raise Refused("an address that begins with https://")
        if target.port < PORT_MIN and target.port not in DEFAULT_PORTS.values():
            raise Refused(f"port 80, 443, or one from {PORT_MIN}")
        if target.address is not None:
            self.require(target.address)
        return target

    def choose(self, found: Sequence[str]) -> str:
        """The address to connect to. One that is refused makes all of them suspect."""
        if not found:
            raise Refused("the name has no address")
        addresses = [ipaddress.ip_address(one) for one in found]
        for one in addresses:
            self.require(one)
        return str(addresses[0])

    def require(self, address: Address) -> None:
        meant = _meant(address)
        if not (_within(meant, self.allowed) or _is_public(meant)):
            # Never the address itself: a name of our own network must not tell its number.
            raise Refused("the address is not public")


def _parsed(url: str) -> Target:
    match = _URL.fullmatch(url) if len(url) <= URL_CHARS_MAX else None
    if match is None:
        raise Refused(
            f"an address of at most {URL_CHARS_MAX} characters, without a user, a fragment, "
            "spaces or letters beyond ASCII"
        )
    scheme, host = match["scheme"].lower(), match["host"].lower()
    port = int(match["port"]) if match["port"] else DEFAULT_PORTS[scheme]
    if not 0 < port < 1 << 16:
        raise Refused("a port between 1 and 65535")
    return Target(scheme, _host(host), port, match["path"] or "/")


def _host(text: str) -> str:
    try:
        if text.startswith("["):
            return str(ipaddress.IPv6Address(text[1:-1]))
        if _NUMBER.fullmatch(text.rstrip(".").rpartition(".")[2]):
            # Only as four decimal numbers: 0x7f.1 and 2130706433 are addresses to some.
            return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise Refused("an IP address in its usual form") from error
    labels = text.removesuffix(".").split(".")
    if len(text) > NAME_CHARS_MAX or not all(map(_LABEL.fullmatch, labels)):
        raise Refused("a host name")
    return text.removesuffix(".")


def _meant(address: Address) -> Address:
    if address in _MAPPED_V4 or address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_V6:
        return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not _within(address, _NEVER)
    )


def _within(address: Address, networks: Iterable[Network]) -> bool:
    # Membership across versions is simply false.
    return any(address in network for network in networks)
