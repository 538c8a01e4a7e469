"""What an image's files say of it: Debian's packages, its Python, and what pip installed."""

import platform
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from deploy.sbom.bill import Component
from deploy.sbom.lock import canonical

STATUS = "var/lib/dpkg/status"
RELEASE = "etc/os-release"


def system_of(root: Path) -> Iterator[Component]:
    release = _release(root)
    version = release.get("VERSION_ID", "")
    yield Component("operating-system", release["ID"], version, purl=None)
    python = platform.python_version()
    yield Component("platform", "cpython", python, f"pkg:generic/cpython@{python}")


def packages_of_debian(root: Path) -> Iterator[Component]:
    release = _release(root)
    distribution = f"{release['ID']}-{release.get('VERSION_ID', '')}"
    for one in (root / STATUS).read_text().split("\n\n"):
        said = dict(re.findall(r"^(Package|Version|Architecture|Status): (.+)$", one, re.M))
        if said.get("Status", "").endswith(" installed"):
            name, version = said["Package"], said["Version"]
            told = f"arch={said['Architecture']}&distro={distribution}"
            purl = f"pkg:deb/{release['ID']}/{quote(name)}@{quote(version, safe='')}?{told}"
            yield Component("library", name, version, purl)


def python_packages(folder: Path) -> dict[str, str]:
    """Name → version of every distribution below a virtual environment."""
    found = [one.stem for one in folder.glob("lib/python3*/site-packages/*.dist-info")]
    if not found:
        raise ValueError(f"nothing is installed in {folder}")
    pairs = (one.split("-") for one in found)
    return {canonical(name): version for name, version in pairs}


def _release(root: Path) -> dict[str, str]:
    lines = (root / RELEASE).read_text().splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name: value.strip('"') for name, value in pairs}
