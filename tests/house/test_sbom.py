"""The bill of an image says what is in it, and nothing of the machine that made it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.sbom.installed import packages_of_debian, python_packages, system_of
from deploy.sbom.lock import IMAGE, Pin, read_lock
from tests.house.repository import ROOT, SERVICES

LOCKED = """\
alone==1.2 \\
    --hash=sha256:{0}
    # via -r services/x/requirements.in
elsewhere==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:{1}
    # via alone
Needed.By_both==3.0 ; python_full_version < '3.12' and sys_platform != 'win32' \\
    --hash=sha256:{0} \\
    --hash=sha256:{1}
    # via
    #   -c requirements-dev.txt
    #   -r services/x/requirements.in
    #   alone
""".format("a" * 64, "b" * 64)
STATUS = """\
Package: bash
Status: install ok installed
Architecture: amd64
Version: 5.2.15-2+b2

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

"""


@cache
def _made(service: str) -> str:
    return _run(service).stdout


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deploy.sbom", *words]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


def _bill(service: str) -> dict[str, Any]:
    told = json.loads(_made(service))
    assert isinstance(told, dict)
    return told


def _root(folder: Path) -> Path:
    (folder / "var/lib/dpkg").mkdir(parents=True)
    (folder / "var/lib/dpkg/status").write_text(STATUS)
    (folder / "etc").mkdir()
    (folder / "etc/os-release").write_text('ID=debian\nVERSION_ID="12"\n')
    return folder


def _installed(folder: Path, *distributions: str) -> Path:
    for one in distributions:
        (folder / "lib/python3.11/site-packages" / f"{one}.dist-info").mkdir(parents=True)
    return folder


def _texts(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for one in part.values():
            yield from _texts(one)
    elif isinstance(part, list):
        for one in part:
            yield from _texts(one)
    else:
        yield str(part)


@pytest.mark.parametrize("service", SERVICES)
def test_the_bill_holds_what_the_image_installs(service: str) -> None:
    lock = (ROOT / "services" / service / "requirements.txt").read_text()
    # As pip itself reads it, which is not how we do.
    lines = (one for one in lock.replace("\\\n", " ").splitlines() if re.match(r"\w", one))
    pinned = [Requirement(one.split(" --hash")[0]) for one in lines]
    wanted = {
        f"pkg:pypi/{canonicalize_name(one.name)}@{str(one.specifier).removeprefix('==')}"
        for one in pinned
        if one.marker is None or one.marker.evaluate(dict(IMAGE))
    }

    assert {one["purl"] for one in _bill(service)["components"]} == wanted


@pytest.mark.parametrize("service", SERVICES)
def test_the_bill_is_what_its_standard_asks_for(service: str) -> None:
    bill = _bill(service)

    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"]
    )
    assert bill["metadata"]["component"]["name"] == f"paperline-{service}"
    for one in bill["components"]:
        assert one["type"] in {"library", "operating-system", "platform"}
        assert one["name"]
        assert one["version"]
        for said in one["properties"]:
            assert re.fullmatch(r"[0-9a-f]{64}", said["value"])


@pytest.mark.parametrize("service", SERVICES)
def test_everything_is_there_because_something_wants_it(service: str) -> None:
    bill = _bill(service)
    needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    reached, left = set[str](), [f"paperline-{service}"]
    while left:
        one = left.pop()
        left += [] if one in reached else needs[one]
        reached.add(one)

    assert reached == {f"paperline-{service}", *(one["bom-ref"] for one in bill["components"])}


@pytest.mark.parametrize("service", SERVICES)
def test_no_host_and_no_place_is_named(service: str) -> None:
    assert [one for one in _texts(_bill(service)) if "://" in one or one.startswith("/")] == []


def test_the_same_image_has_the_same_bill() -> None:
    assert _run("monitor").stdout == _made("monitor")


def test_a_lock_is_read_for_the_image_alone() -> None:
    assert read_lock(LOCKED) == [
        Pin("alone", "1.2", ("a" * 64,), (), direct=True),
        Pin("needed-by-both", "3.0", ("a" * 64, "b" * 64), ("alone",), direct=True),
    ]


@pytest.mark.parametrize("marker", ["extra == 'x'", "sys_platform in 'linux'", "os_name"])
def test_a_marker_that_is_not_understood_is_not_guessed(marker: str) -> None:
    with pytest.raises(ValueError, match="is not known here"):
        read_lock(f"one==1 ; {marker} \\\n    --hash=sha256:{'a' * 64}\n")


def test_the_base_is_part_of_an_image(tmp_path: Path) -> None:
    told = _run("monitor", "--image", str(_root(tmp_path)))

    purls = {one.get("purl", one["name"]) for one in json.loads(told.stdout)["components"]}
    assert "pkg:deb/debian/bash@5.2.15-2%2Bb2?arch=amd64&distro=debian-12" in purls
    assert "debian" in purls
    assert "gone" not in told.stdout
    assert [one.kind for one in system_of(tmp_path)] == ["operating-system", "platform"]
    assert [one.name for one in packages_of_debian(tmp_path)] == ["bash"]


def test_an_image_that_holds_something_else_is_not_made(tmp_path: Path) -> None:
    pins = read_lock((ROOT / "services/monitor/requirements.txt").read_text())
    names = [f"{one.name.replace('-', '_')}-{one.version}" for one in pins]
    well, ill = (
        _installed(tmp_path / "well", *names),
        _installed(tmp_path / "ill", *names[1:], "x-1"),
    )

    assert _run("monitor", "--packages", str(well)).returncode == 0
    refused = _run("monitor", "--packages", str(ill))
    assert refused.returncode == 1
    assert refused.stderr.count(f"{pins[0].name} {pins[0].version}, ") == 1
    assert "x 1" in refused.stderr
    assert python_packages(ill)["x"] == "1"
