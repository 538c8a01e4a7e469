"""Tools of others that judge what we deliver: fetched once, and their absence is told."""

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from deploy.local import judges, quality, trees

# Debian's own programs are asked for; here they are played by these.
APT = """#!/bin/sh
echo "$@" >>{asked}
case "$*" in *download*) cp {packages}/*.deb . ;; esac
exit {code}
"""
Plays = Callable[[int], Path]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return tmp_path / "asked"


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


@pytest.fixture
def debian(tmp_path: Path, asked: Path, monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Packages with the right places in them, and an apt that ends with this code."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no dpkg-deb: what is in a package can be seen on Debian and Ubuntu only")

    def plays(code: int) -> Path:
        programs, packages = tmp_path / "programs", tmp_path / "packages"
        programs.mkdir()
        packages.mkdir()
        for name, place in judges.PROGRAMS.items():
            _package(tmp_path / f"{name}-tree", name, place, packages)
        apt = programs / "apt-get"
        apt.write_text(APT.format(asked=asked, packages=packages, code=code))
        apt.chmod(0o755)
        monkeypatch.setenv("PATH", str(programs), prepend=":")
        keyring = tmp_path / "keyring.gpg"
        keyring.touch()
        monkeypatch.setattr(judges, "KEYRING", keyring)
        monkeypatch.setenv(trees.NAMED, "http://mirror.example/debian")
        return apt

    return plays


def _package(tree: Path, name: str, place: str, into: Path) -> None:
    program = tree / place
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {name} judges\n")
    program.chmod(0o755)
    control = tree / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        f"Package: {name}\nVersion: 1\nArchitecture: all\n"
        "Maintainer: us\nDescription: a judge\n"
    )
    made = ["dpkg-deb", "--build", str(tree), str(into / f"{name}_1_all.deb")]
    subprocess.run(made, check=True, capture_output=True)


def test_programs_are_taken_out_of_their_packages(debian: Plays, into: Path) -> None:
    debian(0)

    judges.install_judges(into)

    for name in judges.PROGRAMS:
        said = subprocess.run(
            [judges.program_of(name, into)], check=True, capture_output=True, text=True
        )
        assert said.stdout == f"{name} judges\n"


def test_what_is_there_is_not_asked_for_again(debian: Plays, into: Path, asked: Path) -> None:
    debian(0)
    judges.install_judges(into)
    before = asked.read_text()

    judges.install_judges(into)

    assert asked.read_text() == before


def test_the_machines_own_lists_are_not_touched(debian: Plays, into: Path, asked: Path) -> None:
    debian(0)

    judges.install_judges(into)

    assert all("--config-file=" in line for line in asked.read_text().splitlines())


def test_on_a_machine_that_knows_no_archive_of_debian_nothing_is_fetched(
    debian: Plays,
    into: Path,
    asked: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    debian(0)
    monkeypatch.delenv(trees.NAMED)
    monkeypatch.setattr(trees, "mirror", partial(trees.mirror, tmp_path))

    judges.install_judges(into)

    assert not asked.exists()
    assert judges.WITHOUT in capsys.readouterr().out


def test_when_the_mirror_does_not_answer_it_is_said_what_is_not_judged(
    debian: Plays, into: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    debian(100)

    judges.install_judges(into)

    assert not list(into.iterdir())
    assert judges.WITHOUT in capsys.readouterr().out


def test_without_debians_keyring_nothing_is_fetched(
    debian: Plays,
    into: Path,
    asked: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    debian(0)
    monkeypatch.setattr(judges, "KEYRING", into / "nowhere.gpg")

    judges.install_judges(into)

    assert not asked.exists()
    assert judges.WITHOUT in capsys.readouterr().out


def test_they_are_there_before_the_rules_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def run(steps: dict[str, list[str]], _: object) -> int:
        told.extend(steps)
        return 0

    monkeypatch.setattr(quality, "_run_all", run)
    monkeypatch.setattr(judges, "install_judges", lambda: told.append("judges"))

    quality.check()

    assert told.index("judges") < told.index("house")
