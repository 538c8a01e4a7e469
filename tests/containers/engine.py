"""A container engine for the tests: the machine's own, or a private one below the state folder.

Images of the services are built anew with either: what was built before is not what is tested.

The private one is Debian's, in a tree of its own, and sees nothing of the machine but the
repository. It builds with the machine's network and runs in one of its own, so that published
ports are published to the tests alone. Registries are not asked: what is pulled elsewhere is
stood in for by `images/`, the same servers from Debian's packages.
"""

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from deploy.local import apt, trees
from tests.eventually import eventually
from tests.house.compose_files import MAIN, services
from tests.house.compose_tool import PROFILES
from tests.house.repository import ROOT

IMAGES = Path(__file__).parent / "images"
SUITE = "trixie"
ENGINE = "docker.io,docker-cli,docker-buildx,docker-compose,iptables"
# What a Dockerfile of ours begins with, and what Debian has in its place.
BASES = {
    "python:3.11-slim-bookworm": ("bookworm", "python3,python3-venv,python3-pip"),
    "debian:trixie-slim": ("trixie", ""),
}
STAND_INS = {
    "rabbitmq:4.3-management": "rabbitmq",
    "postgres:17-bookworm": "postgres",
    "chrislusf/seaweedfs:4.48": "seaweedfs",
}
# As the README has it. Apart from `up`, because building needs the network of the machine, and
# running one that is apart from it.
BUILD = "docker compose --profile core build"
BUILD_DOUBLE = "docker compose --profile gemini-double build"
# Another name than a stack that somebody runs: this one is thrown away with its data.
PROJECT = "paperline-test"
BUILD_WITHIN_S, START_WITHIN_S, END_WITHIN_S = 3600, 60, 90


@dataclass(frozen=True, slots=True)
class Engine:
    """Commands that reach it; `inside` is empty for the machine's own."""

    inside: Sequence[str] = ()
    network: Sequence[str] = ()
    # Of the stack: what somebody has laid over it for themselves is none of it.
    files: Sequence[str] = (MAIN,)

    def docker(self, *arguments: str, within_s: float = 300) -> str:
        return self._run([*self.inside, "docker", *arguments], within_s)

    def compose(self, *arguments: str, within_s: float = 300) -> str:
        which = [word for name in PROFILES for word in ("--profile", name)]
        files = [word for file in self.files for word in ("--file", file)]
        named = ("--project-name", PROJECT)
        return self.docker("compose", *files, *named, *which, *arguments, within_s=within_s)

    def types(self, command: str, within_s: float = 300, at: Path = ROOT) -> str:
        """What a guide shows, as it stands there; its reader has said which stack is meant."""
        told = (f"COMPOSE_PROJECT_NAME={PROJECT}", f"COMPOSE_FILE={':'.join(self.files)}")
        # By the shell, since not every `env` knows how to go somewhere.
        shell = ("bash", "-euc", f"cd {shlex.quote(str(at))}\n{command}")
        return self._run([*self.inside, "env", *told, *shell], within_s)

    def kill(self, pid: int) -> None:
        """As the kernel would when there is no memory left: the engine has not asked for it."""
        self._run([*self.inside, "bash", "-c", f"kill -9 {pid}"], 10)

    def beside(self, *command: str, within_s: float = 300) -> str:
        """A program of the machine that reaches the published ports."""
        return self._run([*self.network, *command], within_s)

    def _run(self, command: Sequence[str], within_s: float) -> str:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=within_s,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@asynccontextmanager
async def engine(folder: Path) -> AsyncIterator[Engine]:
    if _answers(["docker", "info"]):
        own = Engine()
        # What others publish is pulled when the stack comes up.
        _build_services(own)
        yield own
        return
    if not apt.usable() or not _answers(
        ["unshare", "--mount", "--net", "--pid", "--fork", "true"]
    ):
        pytest.skip("no container engine answers, and only root on Debian can start one")
    tree = _tree(folder)
    await _make_images(folder, tree)
    async with _daemon(tree, network=True) as private:
        yield private


def _answers(command: Sequence[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _tree(folder: Path) -> Path:
    tree = folder / "engine"
    if not (tree / "usr" / "sbin" / "dockerd").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _debian(SUITE, ENGINE, tree)
    for name in ("hosts", "resolv.conf"):
        shutil.copy(Path("/etc") / name, tree / "etc" / name)
    return tree


def _debian(suite: str, packages: str, target: Path) -> None:
    hooks = []
    if suite == "bookworm":
        called = 'for one in python pip; do ln -sf ${one}3 "$1/usr/bin/$one"; done'
        owned = 'rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED'
        hooks = [called, owned]
    included = ["ca-certificates", *filter(None, packages.split(","))]
    trees.bootstrap(target, suite, included, *hooks)


async def _make_images(folder: Path, tree: Path) -> None:
    async with _daemon(tree, network=False) as builder:
        for name, (suite, packages) in BASES.items():
            if name in _present(builder):
                continue
            base = folder / f"{suite}.tar"
            if not base.exists():
                _debian(suite, packages, base)
            shutil.copy(base, tree / "tmp" / base.name)
            trusted = "ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt"
            builder.docker("import", "--change", trusted, f"/tmp/{base.name}", name)  # noqa: S108
            (tree / "tmp" / base.name).unlink()
        for name, stand_in in STAND_INS.items():
            # What has not changed since is found where the engine keeps it.
            said = ("--quiet", "--network=host", "--tag", name, str(IMAGES / stand_in))
            builder.docker("build", *said, within_s=BUILD_WITHIN_S)
        _build_services(replace(builder, files=(MAIN, str(_on_the_machines_network(folder)))))


def _build_services(builder: Engine) -> None:
    # What is not built here would be missing when it is run, or of another day.
    for command in (BUILD, BUILD_DOUBLE):
        builder.types(command, within_s=BUILD_WITHIN_S)


def _on_the_machines_network(folder: Path) -> Path:
    """Laid over the compose file where there are no bridges: a build is given what there is."""
    over = folder / "building.json"
    built = [name for name, one in services().items() if "build" in one]
    told = {name: {"build": {"network": "host"}} for name in built}
    over.write_text(json.dumps({"services": told}))
    return over


def _present(builder: Engine) -> set[str]:
    return set(builder.docker("images", "--format", "{{.Repository}}:{{.Tag}}").split())


@asynccontextmanager
async def _daemon(tree: Path, *, network: bool) -> AsyncIterator[Engine]:
    """In namespaces of its own, which end with it, and everything in it with them."""
    kinds = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
    flags = "" if network else _WITHOUT_A_NETWORK
    told = (f"TREE={tree}", f"REPOSITORY={ROOT}", f"FLAGS={flags}")
    began = await asyncio.create_subprocess_exec(
        *("env", *told, "unshare", *kinds, *(["--net"] if network else [])),
        *("bash", "-c", _ENTER),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await eventually(lambda: _children_of(began.pid), within_s=START_WITHIN_S)
        [pid, *_] = _children_of(began.pid)
        inside = ["nsenter", "--target", pid, "--mount", "--pid", "--root", "--wd=/"]
        inside += ["--net"] if network else []
        reach = Engine(
            (*inside, "env", f"--chdir={ROOT}", "DOCKER_HOST=unix:///run/docker.sock"),
            ("nsenter", "--target", pid, "--net"),
        )
        answers = [*reach.inside, "docker", "info"]
        await eventually(lambda: _answers(answers), within_s=START_WITHIN_S)
        yield reach
    finally:
        # The daemon is the first process of its namespace: with it all others end. `unshare`
        # itself takes no notice of signals while it has a child.
        for child in _children_of(began.pid):
            os.kill(int(child), signal.SIGTERM)
        await asyncio.wait_for(began.wait(), END_WITHIN_S)


def _children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


_WITHOUT_A_NETWORK = "--bridge=none --iptables=false --ip6tables=false --ip-forward=false"
_ENTER = """
set -e
ip link set lo up 2>/dev/null || true
mount --bind "$TREE" "$TREE"
mount -t proc proc "$TREE/proc"
mount --rbind /sys "$TREE/sys"
mount --rbind /dev "$TREE/dev"
mount -t tmpfs none "$TREE/run"
mkdir -p "$TREE$REPOSITORY" "$TREE/oldroot" "$TREE/run/docker"
mount --bind "$REPOSITORY" "$TREE$REPOSITORY"
cd "$TREE"
pivot_root . oldroot
umount -l /oldroot
exec chroot . dockerd --host unix:///run/docker.sock --exec-root /run/docker \
    --storage-driver overlay2 $FLAGS >/var/log/dockerd.log 2>&1
"""
