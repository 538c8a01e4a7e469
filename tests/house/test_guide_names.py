"""What the guides name exists: files, settings, messages, queues, tables and keys of the YAML.

A name that was changed in the code and not in a guide sends its reader looking for something
that has never been there.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

from shared.contracts.registry import BODIES
from shared.topology.plan import plan
from tests.house.guides import guides
from tests.house.repository import ROOT, SERVICES, Source, files, require

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w-]+(?:/[\w.*<>-]+)+/?")
ROOTS = {"services", "shared", "deploy", "tests", ".ci"}
# In the README of a service the rooms are its own.
ROOMS = {"adapters", "api", "domain", "handlers", "ports", "sql", "web", "wiring"}
VARIABLE = re.compile(r"\b(?:PAPERLINE|GEMINI)_[A-Z0-9_]*[A-Z0-9]\b")
# Of whoever types a command, and of the tests: no setting of a service.
OF_THE_COMMAND_LINE = (
    "PAPERLINE_STATE",
    "PAPERLINE_URL",
    "PAPERLINE_KEY",
    "PAPERLINE_OTLP_",
    "PAPERLINE_RABBITMQ_",
)
DOTTED = re.compile(r"([a-z_]+)\.([a-z_]+)(?:\.dead)?")
SUFFIXES = (
    "js",
    "css",
    "html",
    "md",
    "py",
    "sql",
    "yaml",
    "yml",
    "json",
    "jsonl",
    "csv",
    "svg",
)
SETTING = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:_?…)?")
KNOBS = re.compile(r"^## Knobs$(.+?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def _codes(text: str) -> set[str]:
    return set(CODE.findall(text))


def test_a_file_that_is_named_is_there() -> None:
    require(_lost_files, guides())


def _lost_files(guide: Source) -> list[str]:
    home = guide.path.parent
    return sorted(
        one
        for one in _codes(guide.text())
        if PATH.fullmatch(one) and not any(_found(path) for path in _places(one, home))
    )


def _places(name: str, home: Any) -> Iterator[Any]:  # noqa: ANN401 -- a path
    """Nothing for what is no file of the repository, which is then not looked for."""
    first = name.partition("/")[0]
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    if first in ROOTS:
        yield ROOT, pattern
    elif home.parent.name == "services" and first in ROOMS:
        yield home, pattern
    else:
        yield ROOT, "."


def _found(place: Any) -> bool:  # noqa: ANN401 -- a folder and a pattern
    folder, pattern = place
    return pattern == "." or any(folder.glob(pattern))


def test_a_variable_that_is_named_is_a_setting() -> None:
    known = (ROOT / ".env.example").read_text() + (ROOT / "docker-compose.yml").read_text()

    def unknown(guide: Source) -> list[str]:
        named = set(VARIABLE.findall(guide.text()))
        return sorted(
            one for one in named if one not in known and not one.startswith(OF_THE_COMMAND_LINE)
        )

    require(unknown, guides())


def test_a_message_a_queue_and_a_table_that_are_named_exist() -> None:
    require(_unknown, [one for one in guides() if str(one) != "deploy/ADDING_A_JOB_TYPE.md"])


def _unknown(guide: Source) -> list[str]:
    found = (
        (one, match)
        for one in _codes(guide.text())
        if (match := DOTTED.fullmatch(one)) is not None
    )
    return sorted(
        one
        for one, match in found
        if match[1] in _families()
        and match[2] not in SUFFIXES
        and one not in _on_the_broker()
        and match[2] not in _tables(match[1])
        and not _is_configured(one)
    )


@cache
def _families() -> frozenset[str]:
    """How the names of messages and queues begin."""
    return frozenset(one.partition(".")[0] for one in BODIES) | set(SERVICES)


@cache
def _on_the_broker() -> frozenset[str]:
    return frozenset(BODIES) | {one.name for one in plan().queues}


@cache
def _tables(schema: str) -> frozenset[str]:
    made = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)")
    folders = (f"services/{schema}", "shared")
    return frozenset(
        name for one in files(*folders, suffix=".sql") for name in made.findall(one.text())
    )


@cache
def _configuration() -> Any:  # noqa: ANN401 -- any YAML
    return yaml.safe_load((ROOT / "deploy/configs/extraction_module_schema.yaml").read_text())


def _is_configured(path: str) -> bool:
    place = _configuration()
    for step in path.split("."):
        if not isinstance(place, dict) or step not in place:
            return False
        place = place[step]
    return True


def test_a_knob_that_a_service_names_is_one() -> None:
    require(_no_knobs, [Source(ROOT / f"services/{name}/README.md") for name in SERVICES])


def _no_knobs(readme: Source) -> list[str]:
    [knobs] = KNOBS.findall(readme.text())
    service = files(f"services/{readme.path.parent.name}", suffix=".py")
    settings = [
        one for one in (*service, *files("shared", suffix=".py")) if "settings" in str(one)
    ]
    known = " ".join(
        one.text() for one in (*settings, *files("deploy/configs", suffix=".yaml"))
    )
    known += " ".join(
        one.text() for one in files("shared/blobs", "shared/database", suffix=".py")
    )
    return sorted(
        one
        for one in _codes(knobs)
        if SETTING.fullmatch(one) and not re.search(rf"\b{one.rstrip('…_')}", known)
    )
