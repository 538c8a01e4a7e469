"""The Python environment of the checkout: `.venv`, filled from the hashed requirements.

A stamp of the requirement file lets the usual run skip all of it. uv does in seconds what
pip does in half a minute; it comes from the same hashed file, and pip remains the fallback.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.local import apt
from deploy.local.errors import StackError
from deploy.local.report import say, step
from deploy.local.state import REPOSITORY

VENV = REPOSITORY / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = REPOSITORY / "requirements-dev.txt"
STAMP = VENV / "paperline-requirements"
# uv reads its own variables only; a machine with a package mirror has told pip.
UV_KNOWS_AS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}


def inside_venv() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def packages_are_current() -> bool:
    return PYTHON.exists() and STAMP.exists() and STAMP.read_text() == _fingerprint()


def install_packages() -> None:
    if not _works(PYTHON):
        _create_venv()
    with step("Python packages") as work:
        STAMP.unlink(missing_ok=True)
        work.note("with uv" if _install_with_uv() else _install_with_pip())
        STAMP.write_text(_fingerprint())


def pinned(package: str, requirements: str) -> str | None:
    """The lines of one package: its version and every hash."""
    found = re.search(rf"^{package}==(?:.*\\\n)*.*$", requirements, re.MULTILINE)
    return found.group() if found else None


def _fingerprint() -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{version} {hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()}\n"


def _works(python: Path) -> bool:
    """False too for an environment whose Python was removed or whose folder has moved."""
    if not python.exists():
        return False
    attempt = _run([str(python), "-m", "pip", "--version"])
    return attempt.returncode == 0 and str(VENV) in attempt.stdout


def _create_venv() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with step(f"Python environment in {VENV.name} (Python {version})"):
        attempt = _make_venv()
        # Debian keeps a part of Python that this needs in a package of its own.
        if attempt.returncode and apt.usable() and apt.install([f"python{version}-venv"]):
            attempt = _make_venv()
        if attempt.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            raise StackError(
                f"Python could not make a virtual environment:\n{_tail(attempt)}\n"
                f"On Debian and Ubuntu: apt-get install python{version}-venv"
            )


def _make_venv() -> subprocess.CompletedProcess[str]:
    shutil.rmtree(VENV, ignore_errors=True)
    # Not sys.executable: inside a broken environment that is the thing to replace.
    python = getattr(sys, "_base_executable", sys.executable)
    return _run([python, "-m", "venv", str(VENV)])


def _install_with_uv() -> bool:
    uv = VENV / "bin" / "uv"
    if not uv.exists() and not _install_uv():
        say("  … uv could not be had, trying pip")
        return False
    command = [str(uv), "pip", "sync", "--quiet", "--require-hashes", "--compile-bytecode"]
    environment = _uv_environment() | {"VIRTUAL_ENV": str(VENV)}
    attempt = _run([*command, str(REQUIREMENTS)], environment)
    if attempt.returncode:
        say(f"  … uv did not succeed, trying pip:\n{_tail(attempt)}")
    return attempt.returncode == 0


def _install_uv() -> bool:
    requirement = pinned("uv", REQUIREMENTS.read_text())
    if requirement is None:
        return False
    only_uv = VENV / "uv-requirement.txt"
    only_uv.write_text(requirement + "\n")
    return _pip("--no-deps", "-r", str(only_uv)).returncode == 0


def _install_with_pip() -> str:
    attempt = _pip("-r", str(REQUIREMENTS))
    if attempt.returncode:
        raise StackError(
            f"pip could not install requirements-dev.txt:\n{_tail(attempt)}\n"
            "Is a package index reachable? A mirror is told to pip with `pip config`."
        )
    return "with pip"


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes"]
    return _run([*command, "--disable-pip-version-check", *arguments])


def told_to_pip() -> dict[str, str]:
    """What this machine told pip, by the names of pip's options."""
    told = _run([str(PYTHON), "-m", "pip", "config", "list"]).stdout
    found = re.findall(r"^(?:global|install|:env:)\.([a-z-]+)='(.*)'$", told, re.MULTILINE)
    return dict(found)


def _uv_environment() -> dict[str, str]:
    """The same in uv's words; what is said to uv itself wins."""
    known = told_to_pip().items()
    translated = {UV_KNOWS_AS[key]: value for key, value in known if key in UV_KNOWS_AS}
    # As pip does: the hash decides which file is right, not the index that offers it.
    translated["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    translated["UV_PYTHON_DOWNLOADS"] = "never"
    return translated | dict(os.environ)


def _run(
    command: list[str], environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _tail(attempt: subprocess.CompletedProcess[str]) -> str:
    return "\n".join((attempt.stdout + attempt.stderr).strip().splitlines()[-12:])
