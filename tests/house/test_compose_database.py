"""The script that makes the database's roles in a container, run as the image runs it.

What it asks is written down by a program in the place of psql; nobody answers.
"""

import re
import subprocess

import pytest

from deploy.local.credentials import READER
from deploy.local.roles import (
    LIMITS,
    OWNER,
    OWNER_CONNECTIONS_MAX,
    SERVICE_CONNECTIONS_MAX,
    SERVICE_ROLES,
    closing_statements,
    reader_statements,
)
from tests.house.repository import ROOT

SCRIPT = ROOT / "deploy" / "compose" / "database.sh"
# What follows `--command`, or stands on its input; a role that is told apart is put in.
PSQL = """#!/usr/bin/env bash
role=
while (($#)); do
    case $1 in
        --set) [[ $2 == role=* ]] && role=${2#role=}; shift ;;
        --command) printf '%s;\\n' "$2" >>"$ASKED"; exit ;;
    esac
    shift
done
sed "s/:\\"role\\"/$role/" >>"$ASKED"
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("database")
    (folder / "psql").write_text(PSQL)
    (folder / "psql").chmod(0o755)
    for role in (OWNER, READER, *SERVICE_ROLES):
        (folder / role).write_text("a password")
    script = SCRIPT.read_text().replace("/run/secrets", str(folder))
    asked = folder / "asked"
    told = ["env", f"ASKED={asked}", "POSTGRES_USER=postgres"]
    said = subprocess.run(
        [*told, "bash", "-c", f'PATH="{folder}:$PATH"\n{script}'],
        check=False,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    return [one.strip() for one in asked.read_text().split(";") if one.strip()]


@pytest.mark.parametrize("role", [*SERVICE_ROLES, READER])
def test_a_role_holds_nothing_for_longer_than_the_local_one(
    asked: list[str], role: str
) -> None:
    for setting, value in LIMITS.items():
        assert f"ALTER ROLE {role} SET {setting} = '{value}'" in asked


@pytest.mark.parametrize("role", [OWNER, *SERVICE_ROLES, READER])
def test_a_role_has_as_many_connections_as_the_local_one(asked: list[str], role: str) -> None:
    said = [one for one in asked if re.search(rf"ROLE {role} .*CONNECTION LIMIT", one)]
    most = OWNER_CONNECTIONS_MAX if role == OWNER else SERVICE_CONNECTIONS_MAX

    assert said
    assert said[-1].endswith(f"CONNECTION LIMIT {most}")


def test_the_database_is_closed_as_the_local_one(asked: list[str]) -> None:
    assert {*closing_statements(OWNER), *reader_statements(OWNER)} <= set(asked)


def test_the_owner_alone_is_held_to_no_time(asked: list[str]) -> None:
    """A migration takes as long as its tables are large."""
    assert not [one for one in asked if one.startswith(f"ALTER ROLE {OWNER} SET")]
