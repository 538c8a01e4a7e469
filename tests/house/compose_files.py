"""The compose file and what is laid over it, read word by word, compose's own tags included."""

from functools import cache
from typing import Any

import yaml

from tests.house.repository import ROOT

MAIN = "docker-compose.yml"
REPLICAS, TLS = "deploy/compose/replicas.yml", "deploy/compose/tls.yml"


class _Loader(yaml.SafeLoader):
    """A tag says what happens to that which it is laid over: here its value is read."""


def _items(loader: yaml.SafeLoader, node: yaml.SequenceNode) -> list[object]:
    return list(loader.construct_sequence(node, deep=True))


_Loader.add_constructor("!override", _items)
_Loader.add_constructor("!reset", _items)


@cache
def read(file: str) -> dict[str, Any]:
    told = yaml.load((ROOT / file).read_text(), _Loader)  # noqa: S506 -- a safe one
    assert isinstance(told, dict)
    return told


def services(file: str = MAIN) -> dict[str, Any]:
    found = read(file)["services"]
    assert isinstance(found, dict)
    return found


def tmp_bytes(told: dict[str, Any]) -> int:
    """What may be written to /tmp, which is memory."""
    [place, _, size] = told["tmpfs"][0].partition(":size=")
    assert place == "/tmp", place  # noqa: S108 -- the container's own
    return size_bytes(size)


def size_bytes(text: str) -> int:
    """Compose's and Kubernetes' words for it: 3g, 512m, 6Gi, 512Mi."""
    number, unit = text.rstrip("Bbi")[:-1], text.rstrip("Bbi")[-1].lower()
    return int(number) << 10 * ("kmg".index(unit) + 1)
