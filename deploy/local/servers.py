"""The server programs the private nodes are made of: found where packages put them.

A stack starts its own servers from these programs, on its own ports and with its own data;
whether the system runs a PostgreSQL or RabbitMQ of its own does not matter and is not touched.
"""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.local import apt
from deploy.local.errors import StackError
from deploy.local.report import say, step

POSTGRES_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
)
RABBITMQ_PLACES = (
    "/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin",
    "/opt/rabbitmq*/sbin",
    "/usr/local/lib/rabbitmq*/sbin",
)
RABBITMQ_TREE = "PAPERLINE_RABBITMQ_TREE"
PACKAGES = {"postgresql": "PostgreSQL", "rabbitmq-server": "RabbitMQ"}


def postgres_programs() -> Path | None:
    return _newest(POSTGRES_PLACES, "initdb", os.environ.get("PAPERLINE_POSTGRES_BIN"))


def rabbitmq_programs() -> Path | None:
    # The script below sbin, not the one in /usr/sbin: that one insists on the system's node.
    if tree := rabbitmq_tree():
        return _newest(RABBITMQ_PLACES, "rabbitmq-server", None, root=tree)
    found = _newest(
        RABBITMQ_PLACES, "rabbitmq-server", os.environ.get("PAPERLINE_RABBITMQ_BIN")
    )
    return found if found and shutil.which("erl") else None


def rabbitmq_tree() -> Path | None:
    """A Debian tree (`trees.py`) whose broker is to run instead of the machine's own."""
    told = os.environ.get(RABBITMQ_TREE)
    return Path(told) if told else None


def require(programs: Path | None, package: str) -> Path:
    if programs is None:
        raise StackError(_advice([package]))
    return programs


def major_version(programs: Path) -> int:
    """Of PostgreSQL; what it reads is as old as itself or older."""
    said = subprocess.run(
        [str(programs / "postgres"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    return int(said.split()[2].partition(".")[0])


def install_servers(*, postgres: bool, rabbitmq: bool) -> None:
    """Only what is asked for: a database or broker given by address needs no program here."""
    missing = []
    if postgres and postgres_programs() is None:
        missing.append("postgresql")
    if rabbitmq and rabbitmq_programs() is None:
        missing.append("rabbitmq-server")
    if not missing:
        say("  ✓ PostgreSQL and RabbitMQ: the programs are there")
        return
    if not apt.usable():
        raise StackError(_advice(missing))
    with step(f"{' and '.join(PACKAGES[name] for name in missing)} with apt") as work:
        if not apt.install(missing):
            raise StackError(f"apt could not install them. {_advice(missing)}")
        work.note("not started, not enabled")


def _newest(
    patterns: tuple[str, ...], program: str, told: str | None, *, root: Path = Path("/")
) -> Path | None:
    if told:
        return Path(told) if (Path(told) / program).exists() else None
    found = [folder for pattern in patterns for folder in root.glob(pattern[1:])]
    usable = [folder for folder in found if (folder / program).exists()]
    return max(usable, key=_version, default=None)


def _version(folder: Path) -> list[int]:
    digits = "".join(c if c.isdigit() else " " for c in folder.parent.name)
    return [int(number) for number in digits.split()]


def _advice(missing: list[str]) -> str:
    names = " and ".join(PACKAGES[package] for package in missing)
    return (
        f"{names} not found. Install the server programs (they need not run):\n"
        f"    sudo apt-get update && sudo apt-get install -y {' '.join(missing)}\n"
        "or run this command once as root. Programs in an unusual place: set "
        "PAPERLINE_POSTGRES_BIN and PAPERLINE_RABBITMQ_BIN to their folders.\n"
        "Servers that run elsewhere: set DATABASE_URL and AMQP_URL."
    )
