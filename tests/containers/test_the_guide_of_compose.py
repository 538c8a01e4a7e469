"""The guide of the compose file, typed as it stands there: a stack is looked into, changed,
stopped, renewed, copied and brought back, in this order. In between its passwords are stolen,
as the runbook has it.
"""

import json
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.containers.conftest import GUIDED, UP, UP_WITHIN_S, first_key
from tests.containers.documents import (
    API,
    ENDS_WITHIN_S,
    PICTURE,
    SAMPLES,
    fresh,
    hand_in,
    standing,
)
from tests.containers.engine import BUILD, BUILD_DOUBLE, Engine
from tests.eventually import eventually
from tests.house.guides import shown_in
from tests.house.repository import ROOT, SERVICES

GUIDE = ROOT / "deploy" / "compose" / "README.md"
RUNBOOK = ROOT / "deploy" / "RUNBOOK.md"
# By this machine's Python, where the engine is: a private one holds none.
MODULE = "python3 -m deploy."
RULES = ROOT / "deploy" / "configs" / "extraction_module_schema.yaml"
# Where its reader stands, beside the secrets.
HOME = GUIDED / "home"
# Typed before the stack came up: images are built with another network than they are run in.
BEFORE = (BUILD, BUILD_DOUBLE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED_WITHIN_S = 900
READ = """
import sys, urllib.request as u
asked = u.Request(sys.argv[1], headers={"Authorization": "Bearer " + open(sys.argv[2]).read()})
print(u.urlopen(asked, timeout=10).status)
"""
LEDGER = """
import urllib.request as u
print(u.urlopen("http://127.0.0.1:8090/__double__/ledger", timeout=5).read().decode())
"""


def _section(title: str, guide: Path = GUIDE) -> str:
    parts = re.split(r"^###? ", guide.read_text(), flags=re.MULTILINE)
    [found] = [one for one in parts if one.startswith(f"{title}\n")]
    return found


def _types(stack: Engine, title: str, guide: Path = GUIDE) -> list[str]:
    blocks = [one[0] for one in BLOCK.finditer(_section(title, guide)) if one[1] == "sh"]
    assert blocks, title
    return [
        _typed(stack, one.text)
        for one in shown_in("\n".join(blocks), guide.name)
        if one.text not in BEFORE
    ]


def _typed(stack: Engine, command: str) -> str:
    if command.startswith(MODULE):
        python = f"PYTHONPATH={shlex.quote(str(ROOT))} {sys.executable}"
        typed = command.replace("python3", python, 1)
        return stack.beside("bash", "-euc", f"cd {shlex.quote(str(HOME))}\n{typed}")
    # A reader sees why a loop was left; here it has to be an error.
    return stack.types(command.replace("|| break", "|| exit"), TYPED_WITHIN_S, HOME)


@pytest.fixture(scope="module")
def key_file(guided_stack: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_key(guided_stack, tmp_path_factory.mktemp("key"))


@pytest.fixture(scope="module")
async def read_before(guided_stack: Engine, key_file: Path) -> list[str]:
    """Documents that have ended before anything is done to the stack."""
    ids = hand_in(guided_stack, key_file, [PICTURE, SAMPLES[0]])
    await _all_are_read(guided_stack, key_file, ids)
    return ids


async def _all_are_read(stack: Engine, key_file: Path, ids: list[str]) -> None:
    await eventually(
        lambda: {*standing(stack, key_file, ids).values()} == {"completed"},
        within_s=ENDS_WITHIN_S,
        every_s=2,
    )


def test_a_module_is_run_where_its_rights_are(
    guided_stack: Engine, read_before: list[str]
) -> None:
    listed, *_ = _types(guided_stack, "Look, and run a module")

    assert [one for one in SERVICES if one not in listed] == []


def test_a_setting_is_what_is_laid_over_the_file(
    guided_stack: Engine, read_before: list[str]
) -> None:
    [told] = [
        one[2] for one in BLOCK.finditer(_section("Change a setting")) if one[1] == "yaml"
    ]
    over = HOME / "docker-compose.override.yml"
    over.write_text(told.replace('"./', f'"{HOME}/'))
    shutil.copy(RULES, HOME / "extraction.yaml")
    (HOME / "extraction.yaml").chmod(0o644)
    (HOME / "scans").mkdir()
    (HOME / "scans").chmod(0o755)
    changed = replace(guided_stack, files=(*guided_stack.files, str(over)))

    _types(changed, "Change a setting")

    said = changed.compose("exec", "ingest", "printenv", "PAPERLINE_PIPELINE_WINDOW")
    assert said.strip() == "64"
    said = changed.compose("exec", "review", "printenv", "PAPERLINE_STRAIGHT_THROUGH")
    assert said.strip() == "true"
    for service in ("extractor", "ingest", "review", "storage"):
        rules = changed.compose("exec", service, "cat", "/etc/paperline/extraction.yaml")
        assert rules == RULES.read_text()
        changed.compose("exec", service, "python", "-m", f"services.{service}", "check")


def test_what_was_stopped_goes_on(
    guided_stack: Engine, key_file: Path, read_before: list[str]
) -> None:
    _types(guided_stack, "Stop, and go on")

    assert guided_stack.compose("ps", "--all", "--quiet") == ""
    guided_stack.types(UP, UP_WITHIN_S)
    read = dict.fromkeys(read_before, "completed")
    assert standing(guided_stack, key_file, read_before) == read


def test_a_newer_version_takes_the_place_of_the_older(
    guided_stack: Engine, key_file: Path, read_before: list[str]
) -> None:
    _types(guided_stack, "A newer version")

    read = dict.fromkeys(read_before, "completed")
    assert standing(guided_stack, key_file, read_before) == read
    for service in SERVICES:
        guided_stack.compose("exec", service, "python", "-m", f"services.{service}", "check")


def _known(*places: str) -> list[str]:
    return [(HOME / "secrets" / one).read_text() for one in places]


async def test_a_stolen_password_opens_nothing_any_more(
    guided_stack: Engine, key_file: Path, tmp_path: Path
) -> None:
    places = ("ingest/paperline_amqp_url", "database/paperline_ingest")
    before = _known(*places)

    _types(guided_stack, "A secret is stolen", RUNBOOK)

    assert not {*before} & {*_known(*places)}
    stolen = urlsplit(before[0]).password or ""
    asked = ("exec", "broker", "rabbitmqctl", "authenticate_user", "ingest")
    # Also after a start of the broker, which hears of all users then.
    guided_stack.compose("restart", "broker")
    guided_stack.types("docker compose up --wait broker", TYPED_WITHIN_S)
    with pytest.raises(AssertionError, match="failed to authenticate"):
        guided_stack.compose(*asked, stolen)
    await _all_are_read(
        guided_stack, key_file, hand_in(guided_stack, key_file, fresh(tmp_path)[:1])
    )


async def test_what_was_copied_is_brought_back(
    guided_stack: Engine, key_file: Path, read_before: list[str], tmp_path: Path
) -> None:
    _types(guided_stack, "Copy everything, and bring it back")

    read = dict.fromkeys(read_before, "completed")
    assert standing(guided_stack, key_file, read_before) == read
    for one in read_before:
        url = f"{API}/v1/documents/{one}/result"
        said = guided_stack.beside(sys.executable, "-c", READ, url, str(key_file))
        assert said.strip() == "200"
    # It works, too, and does not only remember.
    await _all_are_read(
        guided_stack, key_file, hand_in(guided_stack, key_file, fresh(tmp_path)[:1])
    )


async def test_the_stand_in_for_the_provider_is_asked(
    guided_stack: Engine, key_file: Path, tmp_path: Path
) -> None:
    _types(guided_stack, "A stand-in for the model's provider")

    ids = hand_in(guided_stack, key_file, fresh(tmp_path)[:1])
    await _all_are_read(guided_stack, key_file, ids)
    said = json.loads(guided_stack.compose("exec", "gemini-double", "python", "-c", LEDGER))
    assert said["count"] > 0


def test_metrics_and_traces_are_looked_at(guided_stack: Engine) -> None:
    if guided_stack.inside:
        pytest.skip(
            "what others publish is not pulled by the private engine, and not stood in for"
        )

    _types(guided_stack, "Metrics, alerts and traces")

    told = guided_stack.compose("ps", "--services")
    assert {"prometheus", "alertmanager", "grafana", "jaeger"} <= set(told.split())
