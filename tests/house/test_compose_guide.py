"""The guide of the compose file: short, typed as a whole, and of one mind with the others."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.env_example import render
from tests.house.cited import code_of
from tests.house.commands_elsewhere import GUIDES
from tests.house.compose_files import MAIN, services
from tests.house.compose_tool import compose_tool, read_by
from tests.house.guides import shown_in
from tests.house.repository import ROOT, SERVICES

NAME = "deploy/compose/README.md"
GUIDE = (ROOT / NAME).read_text()
LINES_MAX = 120
TYPED_BY = ROOT / "tests/containers/test_the_guide_of_compose.py"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Of the deploy, as operators are told it: who takes messages before who sends them.
RENEWED = re.compile(r"asked to stop: ([a-z, ]+) \(")


def _override() -> str:
    [told] = [one[2] for one in BLOCK.finditer(GUIDE) if one[1] == "yaml"]
    return told


def test_it_is_short_and_found_from_the_readme() -> None:
    assert len(GUIDE.splitlines()) < LINES_MAX
    assert f"({NAME})" in (ROOT / "README.md").read_text()


def test_each_page_has_the_port_that_is_published() -> None:
    readme = " ".join((ROOT / "README.md").read_text().split())
    pages = {"ingest": "upload page", "review": "review desk", "monitor": "operators' console"}
    for name, said in pages.items():
        [port] = [one.split(":")[1] for one in services()[name]["ports"]]
        assert f"{said}: <http://127.0.0.1:{port}>" in GUIDE.replace("Upload", "upload")
        assert re.search(rf"{said} on (?:<http://127.0.0.1:)?{port}\b", readme)
    [port] = [one.split(":")[1] for one in services()["storage"]["ports"]]
    assert f"<http://127.0.0.1:{port}/docs>" in GUIDE
    assert f"results on {port}" in readme


def test_the_tools_that_it_asks_for_know_what_the_files_say() -> None:
    told = "".join(one.read_text() for one in (ROOT / "deploy/compose").glob("*.yml"))

    for tag in ("!override", "!reset"):
        assert tag in told
        assert f"`{tag}`" in GUIDE


def test_every_section_with_commands_is_typed() -> None:
    titles = [one.partition("\n")[0] for one in GUIDE.split("\n## ")[1:] if "\n```sh\n" in one]
    code = TYPED_BY.read_text()

    assert titles
    assert [one for one in titles if f'_types(guided_stack, "{one}")' not in code] == [
        # With what is laid over it.
        "Change a setting"
    ]
    assert '_types(changed, "Change a setting")' in code
    assert ".types(" in code_of(GUIDES[NAME].test)


def test_what_compose_is_told_stands_in_a_block() -> None:
    """Nobody types what is only spoken of; a second spelling of it could be wrong."""
    typed = [one.text for match in BLOCK.finditer(GUIDE) for one in shown_in(match[0], NAME)]
    spoken = [one.text for one in shown_in(BLOCK.sub("", GUIDE), NAME)]

    assert typed
    assert [one for one in spoken if one.startswith("docker") and one not in typed] == []


def test_a_deploy_goes_in_the_order_of_the_runbook() -> None:
    told = RENEWED.search(" ".join((ROOT / "deploy/RUNBOOK.md").read_text().split()))
    loops = re.findall(r"^for (\w+) in (.*); do$", GUIDE, re.MULTILINE)

    assert told
    assert dict(loops)["service"].split() == told[1].split(", ")
    jobs = dict(loops)["job"].split()
    assert jobs[:2] == ["topology", "migrate-ingest"]
    assert set(jobs) == {"topology", *(f"migrate-{one}" for one in SERVICES)}
    assert [name for name, _ in loops] == ["job", "service"]


def test_a_setting_that_is_shown_is_one() -> None:
    told = yaml.safe_load(_override())["services"]
    known = render()

    assert set(told) <= set(SERVICES)
    for one in told.values():
        assert [name for name in one["environment"] if f"{name}=" not in known] == []


def test_the_tool_lays_it_over_the_file(tmp_path: Path) -> None:
    tool = compose_tool()
    if tool is None:
        pytest.skip("no compose tool of the second generation")
    over = tmp_path / "docker-compose.override.yml"
    over.write_text(_override())

    merged: dict[str, Any] = read_by(tool, MAIN, str(over))["services"]

    for name, one in yaml.safe_load(_override())["services"].items():
        assert one["environment"].items() <= merged[name]["environment"].items()
        places = {volume["target"] for volume in merged[name]["volumes"]}
        assert {"/run/secrets", "/etc/paperline/extraction.yaml"} <= places


def test_the_double_and_the_collector_are_where_the_guide_says() -> None:
    for name in ("gemini-double", "jaeger"):
        assert name in services()
    assert "GEMINI_BASE_URL=http://gemini-double:8090 " in GUIDE
    assert "PAPERLINE_OTLP_ENDPOINT=http://jaeger:4318 " in GUIDE
    said = (ROOT / MAIN).read_text()
    assert "GEMINI_BASE_URL=http://gemini-double:8090" in said
    assert "PAPERLINE_OTLP_ENDPOINT=http://jaeger:4318" in said
