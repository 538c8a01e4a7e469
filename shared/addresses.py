"""Addresses of servers, and whether the way there is closed to others.

On loopback nobody listens in. Beyond it only TLS counts that verifies the certificate and the
name in it: who encrypts for whoever answers tells a stranger everything, in private. What is
spoken in the clear nevertheless has to be written down, host by host.
"""

import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TypeAlias
from urllib.parse import SplitResult, parse_qs, unquote, urlencode, urlsplit

Networks: TypeAlias = tuple[IPv4Network | IPv6Network, ...]

# The account that every fresh RabbitMQ has, with its name for a password.
GUEST = "guest"
PASSWORD_CHARS_MIN = 12
DISTINCT_CHARS_MIN = 6
_PLACEHOLDER = re.compile(
    r"change.?(me|it|this)|replace.?(me|this)|placeholder|passw(or|0r)d|secret|default|example|"
    r"minioadmin|paperline|letmein|0123456789|1234567890|abcdefgh",
    re.IGNORECASE,
)
_POSTGRES = ("postgresql", "postgres")
_VERIFIED = "verify-full"


@dataclass(frozen=True, slots=True)
class Plaintext:
    """Hosts with which somebody decided to speak in the clear."""

    names: frozenset[str] = frozenset()
    networks: Networks = ()

    @classmethod
    def named(cls, text: str) -> "Plaintext":
        """Names as they stand in addresses, and networks, with commas between."""
        names, found = set[str](), list[IPv4Network | IPv6Network]()
        for one in listed(text):
            if re.fullmatch(r"[\d.]+/\d+|[\da-fA-F:.]*:[\da-fA-F:.]*(/\d+)?", one):
                found.append(ip_network(one))
            else:
                names.add(one.lower())
        return cls(frozenset(names), tuple(found))

    def covers(self, host: str) -> bool:
        return host.lower() in self.names or within(host, self.networks)


def listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def networks_named(text: str) -> Networks:
    """Raises ValueError for what is no network, such as 10.1.0.0/16."""
    return tuple(ip_network(one) for one in listed(text))


def within(host: str, networks: Networks) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # A socket of IPv6 shows clients of IPv4 as ::ffff:10.1.2.3.
    mapped = getattr(address, "ipv4_mapped", None)
    return any((mapped or address) in network for network in networks)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def hosts_of(url: str) -> list[str]:
    """Those it names; none for a Unix socket, which is on the machine."""
    parts = urlsplit(url)
    named = parts.netloc.rpartition("@")[2].split(",")
    asked = _asked(parts, "host") if parts.scheme in _POSTGRES else []
    hosts = [_without_port(unquote(one)) for one in (*named, *asked)]
    return [one for one in hosts if one and not one.startswith("/")]


def is_closed(url: str) -> bool:
    """Nobody on the way can read it, and nobody else can answer it."""
    parts = urlsplit(url)
    match parts.scheme:
        case "https":
            return True
        case "amqps":
            return all(one == "0" for one in _asked(parts, "no_verify_ssl"))
        case "postgresql" | "postgres":
            return _asked(parts, "sslmode") == [_VERIFIED]
    return False


def with_authority(url: str, file: Path | None) -> str:
    """The same address, believing whom the file believes, unless it names somebody itself."""
    parts = urlsplit(url)
    name = {"amqps": "cafile", **dict.fromkeys(_POSTGRES, "sslrootcert")}.get(parts.scheme)
    speaks_tls = parts.scheme == "amqps" or bool(_asked(parts, "sslmode"))
    if file is None or name is None or not speaks_tls or _asked(parts, name):
        return url
    query = "&".join(filter(None, (parts.query, urlencode({name: str(file)}))))
    return parts._replace(query=query).geturl()


def authorities_in(file: Path) -> int:
    """How many certificates it holds; none when it cannot be read, or holds something else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(file)
    except (OSError, ValueError):
        return 0
    return context.cert_store_stats()["x509"]


def unsafe_addresses(addresses: Mapping[str, str], plaintext: Plaintext) -> Iterator[str]:
    """A sentence for each that should not be used, by the name of its setting."""
    for name, url in addresses.items():
        far = [host for host in hosts_of(url) if not is_loopback(host)]
        in_the_clear = [host for host in far if not plaintext.covers(host)]
        if in_the_clear and not is_closed(url):
            yield _in_the_clear(name, in_the_clear[0], url)
        parts = urlsplit(url)
        if parts.scheme in ("amqp", "amqps") and unquote(parts.username or GUEST) == GUEST:
            yield (
                f"{name} uses the account {GUEST}, whose password everybody knows: make an "
                "account of its own (deploy/PERMISSIONS.md says with which rights) and delete "
                f"{GUEST}."
            )
        elif why := far and parts.password and _guessed(parts.password):
            yield (
                f"The password in {name} {why}, and others reach that server too: give the "
                "account a random one (`openssl rand -hex 16`)."
            )


def _guessed(password: str) -> str | None:
    return weakness(unquote(password), PASSWORD_CHARS_MIN)


def weakness(secret: str, chars_min: int) -> str | None:
    """What is wrong with it, never quoting it; None when it cannot be guessed."""
    if len(secret) < chars_min:
        return f"has {len(secret)} characters, fewer than {chars_min}"
    if _PLACEHOLDER.search(secret):
        return "is a placeholder that others know"
    if len(set(secret)) < DISTINCT_CHARS_MIN:
        return "repeats a few characters"
    return None


def _in_the_clear(name: str, host: str, url: str) -> str:
    closed = {
        "amqp": "amqps://",
        "amqps": "amqps:// without no_verify_ssl",
        **dict.fromkeys(_POSTGRES, f"?sslmode={_VERIFIED}"),
    }.get(urlsplit(url).scheme, "https://")
    return (
        f"{name} goes to {host} without verified TLS, so whoever is on the way reads passwords "
        f"and documents: use {closed} (PAPERLINE_CA_FILE names your own authority), or, in a "
        f"network that is yours alone, allow it with PAPERLINE_PLAINTEXT_HOSTS={host}."
    )


def _asked(parts: SplitResult, name: str) -> list[str]:
    return parse_qs(parts.query).get(name, [])


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host
