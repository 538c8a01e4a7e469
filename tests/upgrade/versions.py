"""Versions of the repository that can be run beside each other, each from a folder of its own.

The version before is taken out of the history. The next one is invented: what is here, with a
column more, with fields more in an order and in a fact, and with a fact that nobody has said
before, as any release may add them.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local import packages
from deploy.local.state import REPOSITORY

# Where a version says what it keeps and what it sends.
TOLD_IN = (
    *("services/*/migrations", "shared/*/migrations"),
    *("shared/contracts", "shared/topology"),
)
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".paperline", "*_cache", "__pycache__", ".hypothesis"
)
# What the next version adds.
COLUMN = "of_tomorrow"
NEW_FACT = "tomorrow.told"
_FACTS = "shared.contracts.facts"
_SAYS_IT = "            unit.send(document_stored(job, row, results[job.job_id]), cause=job)\n"
MIGRATION = f"""-- A column more, which the version before does not know.
ALTER TABLE stored_results ADD COLUMN {COLUMN} text NOT NULL DEFAULT 'told';
"""


@dataclass(frozen=True, slots=True)
class Version:
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / ".venv" / "bin" / "python"

    @property
    def program(self) -> Path:
        return self.folder / "paperline"


def here() -> Version:
    return Version(REPOSITORY)


def previous(folder: Path, revision: str | None) -> Version:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("no history here to take the version before from")
    chosen = revision or _last_tag() or _before_the_last_change()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # As the history has it, and not as somebody may have changed it: no worktree of ours.
    packed = subprocess.run(
        ["git", "archive", chosen], cwd=REPOSITORY, check=True, capture_output=True
    )
    subprocess.run(["tar", "--extract"], cwd=folder, check=True, input=packed.stdout)
    return _with_packages(Version(folder))


def tomorrow(folder: Path) -> Version:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(REPOSITORY, folder, ignore=NOT_COPIED)
    contracts = folder / "shared" / "contracts"
    _add_a_field(contracts / "facts.py", "DocumentStoredV1")
    _add_a_field(contracts / "orders.py", "StoreDocumentV1")
    _add_a_migration(folder / "services" / "storage" / "migrations")
    _add_a_fact(folder)
    return _with_packages(Version(folder))


def _last_tag() -> str | None:
    told = _git("tag", "--merged", "HEAD^", "--sort=-creatordate").split()
    return told[0] if told else None


def _before_the_last_change() -> str:
    last = _git("log", "-1", "--format=%H", "HEAD", "--", *TOLD_IN).strip()
    return f"{last}^"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=REPOSITORY, check=True, capture_output=True, text=True
    ).stdout


def _with_packages(version: Version) -> Version:
    """The same ones where it asks for the same; its own otherwise, which takes a minute."""
    wanted = (version.folder / packages.REQUIREMENTS.name).read_bytes()
    if wanted == packages.REQUIREMENTS.read_bytes():
        (version.folder / ".venv").symlink_to(packages.VENV.resolve())
    else:
        subprocess.run([str(version.program), "setup"], check=True)
    return version


def _add_a_field(module: Path, class_name: str) -> None:
    """The next minor version of a message, as CONTRIBUTING.md has it."""
    text = module.read_text()
    before, marker, after = text.partition(f"class {class_name}(")
    assert marker, f"{class_name} is not in {module.name} any more"
    body, end, rest = after.partition("\n\n\n")
    versioned = re.search(r'version: ClassVar\[str\] = "1\.(\d+)"', body)
    if versioned is None:
        body = re.sub(
            r"(type: ClassVar\[str\] = .*)", r'\1\n    version: ClassVar[str] = "1.1"', body
        )
    else:
        raised = f'version: ClassVar[str] = "1.{int(versioned[1]) + 1}"'
        body = body.replace(versioned[0], raised)
    body += f'\n    {COLUMN}: str = "told"'
    module.write_text(before + marker + body + end + rest)


def _add_a_fact(version: Path) -> None:
    """Said by storage, heard by the monitor alone: both are told so where any fact is."""
    name = "TomorrowToldV1"
    made = f"""class {name}(Fact):
    type: ClassVar[str] = "{NEW_FACT}"

    {COLUMN}: str = "told"


"""
    facts = version / "shared" / "contracts" / "facts.py"
    _put_before(facts, "DOCUMENT_FACTS:", made)
    _put_before(facts, "    BatchCompletedV1,\n    ReplaySettledV1,", f"    {name},\n")
    saying = version / "services" / "storage" / "handlers" / "storing.py"
    _put_before(saying, "from shared.contracts.orders", f"from {_FACTS} import {name}\n")
    said = f"            unit.send({name}(cause_id=job.job_id), cause=job)\n"
    _put_before(saying, _SAYS_IT, said)
    sayers = version / "deploy" / "local" / "sayers.py"
    _put_before(sayers, '    "document.accepted":', f'    "{NEW_FACT}": ("storage",),\n')


def _put_before(module: Path, place: str, text: str) -> None:
    before, found, after = module.read_text().partition(place)
    assert found, f"{place.strip()} is not in {module.name} any more"
    module.write_text(before + text + found + after)


def _add_a_migration(folder: Path) -> None:
    last = max(folder.glob("[0-9]*.py"))
    number = int(last.name[:4])
    fresh = folder / f"{number + 1:04}_expand_{COLUMN}.py"
    text = last.read_text().replace(f"storage_{number - 1:04}", "storage_before")
    text = text.replace(f"storage_{number:04}", f"storage_{number + 1:04}")
    fresh.write_text(text.replace("storage_before", f"storage_{number:04}"))
    fresh.with_suffix(".sql").write_text(MIGRATION)
