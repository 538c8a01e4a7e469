"""`python -m deploy.sbom SERVICE`: the bill of what is locked for it, on standard output.

Inside an image `--image /` adds the Debian packages and the Python of the base, and
`--packages` holds what was really installed against the lock: if they differ there is no image.
"""

import argparse
import json
import sys
from pathlib import Path

from deploy.sbom.bill import Component, bill
from deploy.sbom.installed import packages_of_debian, python_packages, system_of
from deploy.sbom.lock import Pin, read_lock

REPOSITORY = Path(__file__).resolve().parents[2]
LOCK = "services/{service}/requirements.txt"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.sbom", description=__doc__)
    parser.add_argument("service", choices=_services())
    parser.add_argument("--image", type=Path, metavar="ROOT", help="of an image's files")
    parser.add_argument("--packages", type=Path, metavar="VENV", help="what was installed")
    told = parser.parse_args()
    pins = read_lock((REPOSITORY / LOCK.format(service=told.service)).read_text())
    if told.packages and (wrong := _unlike(pins, python_packages(told.packages))):
        print(f"{told.packages} is not what {told.service} locks: {wrong}", file=sys.stderr)
        return 1
    base: list[Component] = []
    if told.image:
        base = [*system_of(told.image), *packages_of_debian(told.image)]
    json.dump(bill(told.service, pins, base), sys.stdout, indent=1)
    print()
    return 0


def _services() -> list[str]:
    found = REPOSITORY.glob(LOCK.format(service="*"))
    return sorted(one.parent.name for one in found)


def _unlike(pins: list[Pin], installed: dict[str, str]) -> str:
    locked = {one.name: one.version for one in pins}
    apart = sorted(set(locked.items()) ^ set(installed.items()))
    return ", ".join(f"{name} {version}" for name, version in apart)


if __name__ == "__main__":
    raise SystemExit(main())
