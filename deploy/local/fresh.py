"""`./paperline test fresh`: the README's two commands on a machine that holds only Python.

A bare Debian tree gets a clone of the committed HEAD, and the commands run in it as root, in
namespaces that end with them and take along whatever they started. From the machine it knows
where packages come from, and nothing else: that is told at run time and written nowhere else.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

from deploy.local import packages, trees
from deploy.local.arguments import TIERS
from deploy.local.errors import StackError
from deploy.local.report import say, step
from deploy.local.state import REPOSITORY, State

SUITES = ("bookworm", "trixie")
HOLDS = ("python3", "python3-venv")
OF_THE_NETWORK = (Path("/etc/hosts"), Path("/etc/resolv.conf"))
DEMO, TEST = "demo", "test"
CHECKOUT = Path("/srv/paperline")
# Bundles of authorities, and proxies: what a person would set up on a machine of this network.
ABOUT_THE_NETWORK = re.compile(
    r"(?i)(?:PIP_|SSL_CERT_|REQUESTS_CA_BUNDLE|(?:https?|no)_proxy$)"
)
OF_APT = re.compile(r'^Acquire::https?::.*".+";$|^Acquire::Check-Valid-Until ".+";$')
ENTER = """
set -e
mount --bind "$TREE" "$TREE"
mount -t proc proc "$TREE/proc"
mount --rbind /sys "$TREE/sys"
mount --rbind /dev "$TREE/dev"
mount -t tmpfs none "$TREE/run"
mount -t tmpfs none "$TREE/tmp"
for path in $SHOWN; do
    if [ -d "$path" ]; then mkdir -p "$TREE$path"; else
        mkdir -p "$TREE${path%/*}"; touch "$TREE$path"
    fi
    mount --bind "$path" "$TREE$path"
    mount -o remount,bind,ro "$TREE$path"
done
mkdir -p "$TREE/oldroot"
cd "$TREE"
pivot_root . oldroot
umount -l /oldroot
exec chroot . /usr/bin/env -i "$@"
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the fresh one is told of the one it runs on."""

    variables: Mapping[str, str]
    # Folders and files that these name, at the same place: packages, to be read only, and what
    # is part of the system's own settings, where others may add to it.
    shown: Sequence[str]
    copied: Sequence[str]


def test(state: State, on: Sequence[str], words: Sequence[str]) -> int:
    suites = on or SUITES[:1]
    if strange := sorted(set(suites) - set(SUITES)):
        raise StackError(f"no {', '.join(strange)} here; there are: {', '.join(SUITES)}")
    commands = commands_for(words)
    try:
        trees.require_usable()
    except trees.NoTree as why:
        say(f"fresh: left out: {why}")
        return 0
    return max([_on(state, suite, commands) for suite in suites])


def commands_for(words: Sequence[str]) -> list[list[str]]:
    """`demo`, `test` or tiers; what is none of them goes along with each of the tests."""
    chosen = [word for word in words if word in (DEMO, TEST, *TIERS)] or [DEMO, TEST]
    rest = [word for word in words if word not in chosen]
    commands = {
        DEMO: [DEMO, "--once"],
        TEST: [TEST, *rest],
        **{tier: [TEST, tier, *rest] for tier in TIERS},
    }
    return [commands[word] for word in chosen]


def _on(state: State, suite: str, commands: Sequence[Sequence[str]]) -> int:
    tree = state.root / "fresh" / suite
    try:
        bare = trees.made(state.root / "trees" / f"bare-{suite}", suite, HOLDS)
    except trees.NoTree as why:
        say(f"fresh {suite}: left out: {why}")
        return 0
    machine = this_machine(os.environ, packages.told_to_pip())
    with step(f"a machine of {suite} with {', '.join(HOLDS)} and the committed HEAD"):
        _prepare(tree, bare, machine)
    ran = []
    for words in commands:
        say(f"── {suite}: ./paperline {' '.join(words)}")
        began = time.monotonic()
        ran.append((words, _inside(tree, machine, words), time.monotonic() - began))
    say("── summary")
    for words, code, took_s in ran:
        say(f"  {'✗' if code else '✓'} {suite}: ./paperline {' '.join(words)} ({took_s:.1f} s)")
    if any(code for _, code, _ in ran):
        say(f"What it left is below {tree}{CHECKOUT}/.paperline (logs: test/…/logs).")
        return 1
    shutil.rmtree(tree)
    return 0


def _prepare(tree: Path, bare: Path, machine: Machine) -> None:
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    _must("cp", "--archive", "--reflink=auto", str(bare), str(tree))
    for path in OF_THE_NETWORK:
        # Of the day when the tree was made.
        (tree / path.relative_to("/")).unlink(missing_ok=True)
    for path in (*map(Path, machine.copied), *OF_THE_NETWORK):
        _copy(path, tree / path.relative_to("/"))
    (tree / "etc" / "apt" / "apt.conf.d" / "90network").write_text(_told_to_apt())
    checkout = tree / CHECKOUT.relative_to("/")
    checkout.parent.mkdir(parents=True, exist_ok=True)
    _must("git", "clone", "--quiet", "--depth=1", REPOSITORY.as_uri(), str(checkout))
    changed = _must("git", "-C", str(REPOSITORY), "status", "--porcelain").splitlines()
    if changed:
        say(f"  … {len(changed)} files that are not committed as they are here are not in it")


def _copy(path: Path, target: Path) -> None:
    # What the tree has already it has by its own packages. A link of it would lead out of it.
    if os.path.lexists(target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    _must("cp", "--recursive", "--dereference", path, target)


def this_machine(surroundings: Mapping[str, str], told_to_pip: Mapping[str, str]) -> Machine:
    of_pip = {
        # Several values stand on lines of their own in a file, and in one line here.
        f"PIP_{option.upper().replace('-', '_')}": " ".join(text.replace("\\n", " ").split())
        for option, text in told_to_pip.items()
    }
    about = {name: text for name, text in surroundings.items() if ABOUT_THE_NETWORK.match(name)}
    variables = of_pip | about
    paths = paths_in(variables.values())
    copied = [path for path in paths if path.startswith("/etc/")]
    return Machine(variables, [path for path in paths if path not in copied], copied)


def paths_in(texts: Iterable[str]) -> list[str]:
    """Absolute paths of what is there, as they are or as file://, none within another."""
    written = re.compile(r"(?:^|(?<=\s)|(?<=file://))(/[^\s]+)")
    named = {Path(match) for text in texts for match in written.findall(text)}
    # The pages of an index lead to files beside them.
    folders = {path.parent if path.name == "simple" else path for path in named}
    there = sorted(path for path in folders if path.exists())
    return [str(path) for path in there if not set(path.parents) & set(there)]


def _told_to_apt() -> str:
    said = _must("apt-config", "dump").splitlines()
    return "".join(f"{line}\n" for line in said if OF_APT.match(line))


def _inside(tree: Path, machine: Machine, words: Sequence[str]) -> int:
    surroundings = {
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "TERM": os.environ.get("TERM", "dumb"),
        **machine.variables,
    }
    variables = [f"{name}={text}" for name, text in surroundings.items()]
    kinds = ("--mount", "--pid", "--fork", "--kill-child", "--propagation", "private")
    command = ["/bin/sh", "-c", 'cd "$1"; shift; "$@"; exit $?', "sh", str(CHECKOUT)]
    entering = ["unshare", *kinds, "sh", "-c", ENTER, "sh", *variables]
    running = subprocess.Popen(
        [*entering, *command, "./paperline", *words],
        env={**os.environ, "TREE": str(tree), "SHOWN": " ".join(machine.shown)},
        stdin=subprocess.DEVNULL,
    )
    try:
        return running.wait()
    finally:
        # With the first process of the namespace all others end.
        for child in _children_of(running.pid):
            with suppress(ProcessLookupError):
                os.kill(child, SIGKILL)
        running.wait()


def _children_of(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(one) for one in children.split()]


def _must(*command: str | Path) -> str:
    if shutil.which(command[0]) is None:
        raise StackError(f"{command[0]} is needed for this and not there")
    attempt = subprocess.run(
        command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if attempt.returncode:
        raise StackError(f"{' '.join(map(str, command))} failed:\n{attempt.stderr.strip()}")
    return attempt.stdout
