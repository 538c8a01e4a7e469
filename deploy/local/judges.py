"""Programs that judge what we deliver, taken out of Debian's packages for this checkout alone.

No index for Python has the tools of Docker, Kubernetes and Alertmanager. Debian does: its
archive is signed, and apt holds what it fetches against the digests in it. Only the program
itself is kept, beside the other tools in `.venv`, so it needs no root and changes nothing of
the machine. Where they cannot be had, the tests that need them are left out and say so.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.local import packages, trees
from deploy.local.report import say, step

SUITE = "trixie"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# By their packages, and where these have them.
PROGRAMS: Mapping[str, str] = {
    "docker-compose": "usr/libexec/docker/cli-plugins/docker-compose",
    "kustomize": "usr/bin/kustomize",
    "prometheus-alertmanager": "usr/bin/amtool",
}
NEEDED = ("apt-get", "dpkg-deb")
WITHIN_S = 120
WITHOUT = (
    "compose files, overlays of Kubernetes and Alertmanager's routes go without their own tools"
)
ADVICE = (
    f"needs apt, its keyring of Debian, and a mirror among its sources or in {trees.NAMED}; "
    "or their own tools on the PATH"
)
# Lists, cache and sources are ours; proxies and the like stay the machine's.
_CONF = """\
Dir::State "{folder}";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}";
Dir::Etc::SourceList "{folder}/debian.sources";
Dir::Etc::SourceParts "/dev/null";
Acquire::Languages "none";
Acquire::Retries "0";
Acquire::http::Timeout "5";
// A mirror's copy may be some days old.
Acquire::Check-Valid-Until "false";
APT::Sandbox::User "root";
// These clean up a cache, or tell somebody, who is not concerned.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""
_SOURCES = """\
Types: deb
URIs: {mirror}
Suites: {suite}
Components: main
Signed-By: {keyring}
"""


def install_judges(into: Path = packages.VENV / "bin") -> None:
    missing = [name for name in PROGRAMS if not program_of(name, into).exists()]
    if not missing:
        return
    named = ", ".join(missing)
    if not KEYRING.exists() or not all(map(shutil.which, NEEDED)):
        say(f"  … no {named}, so {WITHOUT}: {ADVICE}")
        return
    with step(f"{named} of Debian {SUITE}") as work:
        if not _install(missing, into):
            work.note(f"could not be had, so {WITHOUT}: {ADVICE}")


def program_of(package: str, into: Path) -> Path:
    return into / Path(PROGRAMS[package]).name


def _install(names: Sequence[str], into: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="judges-") as told:
        folder = Path(told)
        if not _fetched(names, folder):
            return False
        for name in names:
            [package] = folder.glob(f"{name}_*.deb")
            if not _ran(["dpkg-deb", "--extract", str(package), "."], folder):
                return False
            # Moved when it is whole: whoever looks meanwhile finds all of it or nothing.
            program = program_of(name, into)
            unfinished = program.with_name(f".{program.name}")
            shutil.copy(folder / PROGRAMS[name], unfinished)
            unfinished.replace(program)
    return True


def _fetched(names: Sequence[str], folder: Path) -> bool:
    try:
        mirror = trees.mirror()
    except trees.NoTree:
        return False
    for place in ("lists/partial", "archives/partial"):
        (folder / place).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "debian.sources").write_text(
        _SOURCES.format(mirror=mirror, suite=SUITE, keyring=KEYRING)
    )
    (folder / "apt.conf").write_text(_CONF.format(folder=folder))
    apt = ["apt-get", "-qq", f"--config-file={folder / 'apt.conf'}"]
    return _ran([*apt, "update"], folder) and _ran([*apt, "download", *names], folder)


def _ran(command: Sequence[str], folder: Path) -> bool:
    try:
        attempt = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return attempt.returncode == 0
