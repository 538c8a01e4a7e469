"""Would this process stand more open than somebody has decided? Asked before it opens a door.

Each rule has a way out that has to be written down, so an installation is open by a decision
and never by a default. A sentence says what is wrong, why and what to do, and quotes no secret.
"""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from pydantic import SecretStr

from shared.addresses import (
    authorities_in,
    hosts_of,
    is_closed,
    is_loopback,
    unsafe_addresses,
    weakness,
)
from shared.process.settings import ENV_PREFIX, ProcessSettings

SECRET_CHARS_MIN = 16
# Made by an installation, unlike a provider's key, whose form is the provider's.
_SECRETS = ("_secret", "_secret_key")


class UnsafePosture(Exception):
    """What makes a start too dangerous; the same at every further try."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__("\n".join(sentences))


def unsafe(settings: ProcessSettings) -> list[str]:
    """A sentence for each rule that is broken; empty is good news."""
    return [
        *_unreadable_files(settings),
        *_open_doors(settings),
        *unsafe_addresses(addresses(settings), settings.plaintext()),
        *_weak_secrets(settings),
    ]


def describe(settings: ProcessSettings) -> list[str]:
    """How it stands, in lines for an operator."""
    lines = [f"listens on {settings.host}: {_closed_by(settings)}"]
    for name, url in addresses(settings).items():
        where = ", ".join(hosts_of(url)) or "a socket of the machine"
        lines.append(f"{name} goes to {where}: {_way(url)}")
    believed = settings.trusted_proxies or "nobody"
    return [*lines, f"X-Forwarded-… is believed from {believed}"]


def addresses(settings: ProcessSettings) -> Mapping[str, str]:
    """Of the servers it works with, by their settings."""
    found = {name: getattr(settings, name) for name in settings.servers}
    return {
        _variable(settings, name): _revealed(value)
        for name, value in found.items()
        if value is not None
    }


def _variable(settings: ProcessSettings, name: str) -> str:
    """Some are known under a name that others gave them."""
    alias = type(settings).model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"{ENV_PREFIX}{name.upper()}"


def _unreadable_files(settings: ProcessSettings) -> Iterator[str]:
    try:
        settings.tls()
    except ValueError as error:
        yield f"{ENV_PREFIX}TLS_CERTIFICATE_FILE is wrong: {error}."
    if settings.ca_file is not None and not authorities_in(settings.ca_file):
        yield (
            f"{ENV_PREFIX}CA_FILE is wrong: {settings.ca_file} holds no certificate in PEM "
            "that can be read, so no server would be believed."
        )


def _open_doors(settings: ProcessSettings) -> Iterator[str]:
    if is_loopback(settings.host) or settings.speaks_tls or settings.trusted_proxies:
        return
    if not settings.plaintext().covers(settings.host):
        yield (
            f"{ENV_PREFIX}HOST is {settings.host}, where others reach it, and without TLS keys "
            f"and documents could be read on their way: set {ENV_PREFIX}TLS_CERTIFICATE_FILE "
            f"and {ENV_PREFIX}TLS_KEY_FILE, or name the networks of the proxy that speaks TLS "
            f"before it in {ENV_PREFIX}TRUSTED_PROXIES, or, in a network that is yours alone, "
            f"allow it with {ENV_PREFIX}PLAINTEXT_HOSTS={settings.host}."
        )


def _weak_secrets(settings: ProcessSettings) -> Iterator[str]:
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if not name.endswith(_SECRETS) or not isinstance(value, SecretStr):
            continue
        if why := weakness(value.get_secret_value(), SECRET_CHARS_MIN):
            yield (
                f"{ENV_PREFIX}{name.upper()} {why}, so it would protect nothing: set it to "
                f"{SECRET_CHARS_MIN} or more random characters (`openssl rand -hex 24`; "
                "`python3 -m deploy.secrets` makes all of an installation)."
            )


def _closed_by(settings: ProcessSettings) -> str:
    if settings.speaks_tls:
        return "TLS of its own"
    if is_loopback(settings.host):
        return "this machine only"
    if settings.trusted_proxies:
        return "plain, behind a proxy that is trusted"
    return "plain, as allowed"


def _way(url: str) -> str:
    if is_closed(url):
        return "TLS, verified"
    far = [host for host in hosts_of(url) if not is_loopback(host)]
    scheme = urlsplit(url).scheme
    return f"plain {scheme}, as allowed" if far else f"plain {scheme}, on this machine"


def _revealed(value: SecretStr | str) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value
