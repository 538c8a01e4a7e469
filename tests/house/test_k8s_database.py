"""The database of the cluster's example is as closed as that of compose: word for word.

`deploy/PERMISSIONS.md` says what a role may do wherever it was made. The statements of compose
are those that its script really asks, written down by a `psql` that does nothing else.
"""

import re
import subprocess
from typing import Any

import pytest
import yaml

from deploy.local.credentials import READER
from deploy.local.roles import (
    LIMITS,
    OWNER,
    OWNER_CONNECTIONS_MAX,
    SERVICE_ROLES,
    closing_statements,
    reader_statements,
)
from deploy.secrets.files import COMPOSE, folders, passwords, write
from tests.house.repository import ROOT

ROLES = {READER, *SERVICE_ROLES}
_WRITES_DOWN = """\
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --set) case $2 in role=*) role=${2#role=} ;; esac; shift 2 ;;
        --command) echo "$2;"; told=yes; shift 2 ;;
        --username|--dbname) shift 2 ;;
        *) shift ;;
    esac
done
[ "$told" ] || sed "s/:\\"role\\"/$role/"
"""
_CREATED = re.compile(r"CREATE ROLE (\w+) LOGIN")


@pytest.fixture(scope="module")
def compose(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("psql")
    program = folder / "psql"
    program.write_text(_WRITES_DOWN)
    program.chmod(0o755)
    write(folder, folders(passwords({}), COMPOSE))
    script = (ROOT / "deploy" / "compose" / "database.sh").read_text()
    script = script.replace("/run/secrets", str(folder / "database"))
    asked = subprocess.run(
        ["bash", "-c", f'POSTGRES_USER=postgres PATH="{folder}:$PATH"\n{script}'],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {" ".join(one.split()) for one in asked.split(";") if one.strip()}


@pytest.fixture(scope="module")
def cluster() -> set[str]:
    """What is asked after its first start, with what the operator adds to each role."""
    spec = _spec()
    told = set(spec["bootstrap"]["initdb"]["postInitApplicationSQL"])
    for role in spec["managed"]["roles"]:
        told |= {f"GRANT {other} TO {role['name']}" for other in role.get("inRoles", [])}
    return told


def _spec() -> dict[str, Any]:
    file = yaml.safe_load((ROOT / "deploy/k8s/examples/database.yaml").read_text())
    spec = file["spec"]
    assert isinstance(spec, dict)
    return spec


def _rights(statements: set[str]) -> set[str]:
    """All but the roles themselves, and whose database it is, which the operator is told."""
    return {one for one in statements if not one.startswith(("CREATE ROLE", "ALTER DATABASE"))}


def _made(statements: set[str]) -> set[str]:
    return {match[1] for one in statements if (match := _CREATED.match(one))}


def test_the_cluster_asks_what_compose_asks(compose: set[str], cluster: set[str]) -> None:
    assert _rights(cluster) == _rights(compose)
    assert _made(cluster) | {OWNER} == _made(compose) == {OWNER, *ROLES}


def test_both_ask_what_a_local_stack_asks(compose: set[str]) -> None:
    limits = {
        f"ALTER ROLE {role} SET {name} = '{value}'"
        for role in ROLES
        for name, value in LIMITS.items()
    }
    local = {*limits, *closing_statements(OWNER), *reader_statements(OWNER)}
    local.add(f"ALTER ROLE {OWNER} CONNECTION LIMIT {OWNER_CONNECTIONS_MAX}")

    assert local <= compose
    # A local stack has databases of its own only; its schema `public` is closed by PostgreSQL.
    assert _rights(compose) - local == {"REVOKE ALL ON SCHEMA public FROM PUBLIC"}


def test_no_role_is_made_and_then_left_to_itself(cluster: set[str]) -> None:
    """Only what the operator manages gets a password, and a limit of its connections."""
    managed = {one["name"] for one in _spec()["managed"]["roles"]}

    assert _made(cluster) == managed == ROLES
