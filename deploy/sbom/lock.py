"""The pins of a hashed requirements file, as far as they are for an image.

A lock is for every system; its markers say for which. Those that are used are few, so they are
understood here instead of by a library that is not there yet: an unknown one stops the build.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# What every image is: the Python of its base, on Linux.
IMAGE = {
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11",
    "python_version": "3.11",
    "sys_platform": "linux",
}
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">=": operator.ge,
}
_PIN = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^ ;\\]+)(?: ; (?P<marker>.+?))?"
)
_TERM = re.compile(r"(?P<what>\w+) (?P<how>==|!=|<|>=) '(?P<value>[^']*)'")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA = re.compile(r"#\s+(?:via )?(?P<name>[a-z0-9][\w.-]*)(?:\[[\w,-]+\])?$")


@dataclass(frozen=True, slots=True)
class Pin:
    name: str
    version: str
    # Of every file that may be installed for it: a wheel per system, and the source.
    hashes: tuple[str, ...]
    # The other packages that want it.
    wanted_by: tuple[str, ...]
    # The service itself does.
    direct: bool


def read_lock(text: str) -> list[Pin]:
    """In the lock's order, which is by name."""
    return [pin for block in _blocks(text) if (pin := _pin(block)) is not None]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _blocks(text: str) -> list[list[str]]:
    """A pin, its hashes, and who wants it: what follows a line that is not indented."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line and not line[0].isspace() and not line.startswith("#"):
            blocks.append([line])
        elif blocks and line.strip():
            blocks[-1].append(line)
    return blocks


def _pin(block: list[str]) -> Pin | None:
    first, *rest = (line.removesuffix("\\").strip() for line in block)
    found = _PIN.fullmatch(first)
    if found is None:
        raise ValueError(f"{first!r} is no pin; write the lock with deploy/lock.sh")
    if found["marker"] and not _holds(found["marker"]):
        return None
    wanting = (_VIA.fullmatch(line) for line in rest if line.startswith("#"))
    names = {canonical(one["name"]) for one in wanting if one and one["name"] != "via"}
    return Pin(
        canonical(found["name"]),
        found["version"],
        tuple(_HASH.findall("\n".join(rest))),
        tuple(sorted(names)),
        direct=any(re.match(r"#\s+(via )?-r ", line) for line in rest),
    )


def _holds(marker: str) -> bool:
    return all(_term_holds(term) for term in marker.split(" and "))


def _term_holds(term: str) -> bool:
    found = _TERM.fullmatch(term)
    if found is None or found["what"] not in IMAGE:
        raise ValueError(f"the marker {term!r} is not known here; teach it to {__name__}")
    here, there = IMAGE[found["what"]], found["value"]
    if "version" in found["what"]:
        return _COMPARED[found["how"]](_numbers(here), _numbers(there))
    return _COMPARED[found["how"]](here, there)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
