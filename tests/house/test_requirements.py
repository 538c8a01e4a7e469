"""What a service installs is written down to the hash, and only what it uses.

An index address in a committed file would be somebody's network; a missing hash would let an
index decide what runs; a version below a floor would bring back a published hole.
"""

import re
import sys
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.house.repository import (
    ROOT,
    SERVICES,
    Source,
    imported_names,
    imported_packages,
    modules,
    packages_for_types_only,
)

# The first version without the published hole. Packages that nobody installs stay listed: the
# floor waits for the day somebody does.
FLOORS = {
    "pdfminer-six": Version("20251107"),
    "pillow": Version("12.2"),
    "pypdf": Version("6.10.2"),
    "python-multipart": Version("0.0.26"),
    "starlette": Version("0.49.1"),
}

# Packages of `shared` with libraries that only their users install.
OPTIONAL = ("checks", "pages")

NOT_INSTALLED = {"deploy", "services", "shared", "tests", *sys.stdlib_module_names}

LOCKS = [
    Source(one)
    for one in (
        *sorted(ROOT.glob("services/*/requirements.txt")),
        ROOT / "requirements-dev.txt",
    )
]
LOCKED_SERVICES = [
    one for one in SERVICES if (ROOT / "services" / one / "requirements.txt").exists()
]

every_lock = pytest.mark.parametrize("lock", LOCKS, ids=str)
every_locked_service = pytest.mark.parametrize("service", LOCKED_SERVICES)


@cache
def _pins(lock: Source) -> dict[str, str]:
    """Package → its logical line, with the hashes."""
    joined = lock.text().replace("\\\n", " ")
    lines = [
        one for one in joined.splitlines() if one.strip() and not one.lstrip().startswith("#")
    ]
    return {
        canonicalize_name(re.split(r"[=<>!~\[ ;@]", line, maxsplit=1)[0]): line
        for line in lines
    }


@cache
def _distributions() -> dict[str, set[str]]:
    return {
        module: {canonicalize_name(one) for one in names}
        for module, names in packages_distributions().items()
    }


def _not_installed(module: Source, installed: set[str]) -> list[str]:
    foreign = imported_packages(module) - packages_for_types_only(module) - NOT_INSTALLED
    return [
        f"{module} imports {name}"
        for name in sorted(foreign)
        if not _distributions().get(name, {name}) & installed
    ]


def _names(service: str, package: str) -> bool:
    """Nothing else in `shared` loads it, so whoever does not name it has none of it."""
    return any(
        name.startswith(package)
        for one in modules(f"services/{service}")
        for name in imported_names(one)
    )


@every_lock
def test_every_pin_is_exact_and_carries_its_hash(lock: Source) -> None:
    loose = [
        name
        for name, line in _pins(lock).items()
        if not re.match(r"\S+==\S+", line) or "--hash=sha256:" not in line
    ]

    assert not loose


@every_lock
def test_no_index_is_named(lock: Source) -> None:
    assert not re.search(r"--(extra-)?index|--find-links|--trusted-host|://", lock.text())


@every_lock
def test_no_version_lies_below_the_floor_of_a_published_hole(lock: Source) -> None:
    below = []
    for name, floor in FLOORS.items():
        if line := _pins(lock).get(name):
            version = Version(re.split(r"==|[ ;]", line)[1])
            if version < floor:
                below.append(f"{name} {version} < {floor}")

    assert not below


@every_locked_service
def test_the_lock_holds_what_the_service_asked_for(service: str) -> None:
    home = ROOT / "services" / service
    pins = _pins(Source(home / "requirements.txt"))
    wanted = [
        Requirement(line)
        for line in (home / "requirements.in").read_text().splitlines()
        if line and not line.startswith(("#", "-r"))
    ]

    for one in wanted:
        version = re.split(r"==|[ ;]", pins[canonicalize_name(one.name)])[1]
        assert one.specifier.contains(version), f"{one} but {version} is locked"


@every_locked_service
def test_a_service_imports_only_what_it_installs(service: str) -> None:
    lock = Source(ROOT / "services" / service / "requirements.txt")
    own = modules(f"services/{service}")
    # Only who has an API loads the first, no service at all the second.
    left_out = ["shared/web/", "shared/client/"]
    left_out += [f"shared/{one}/" for one in OPTIONAL if not _names(service, f"shared.{one}")]
    loaded = [*own, *(one for one in modules("shared") if not one.under(*left_out))]

    missing = [one for module in loaded for one in _not_installed(module, set(_pins(lock)))]

    assert not missing


def test_every_lock_agrees_on_every_version() -> None:
    # Two versions of one package would mean that the tests ran on something else.
    seen: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, line in _pins(lock).items():
            seen.setdefault(name, set()).add(line.split()[0])

    assert not {name: versions for name, versions in seen.items() if len(versions) > 1}
