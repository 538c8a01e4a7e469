"""A program of the stack's own PostgreSQL or RabbitMQ, run by hand.

The runbook asks the servers themselves. Here they listen on ports that were free, under
passwords and a cookie that lie in the state folder, and packages put their programs where no
shell looks: whoever is on duty should have to find none of it.
"""

import os
import subprocess
from collections.abc import Sequence

from deploy.local import postgres, rabbitmq, servers
from deploy.local.account import rights_of
from deploy.local.endpoints import has_private_broker, has_private_database
from deploy.local.errors import StackError
from deploy.local.ports import remembered
from deploy.local.state import State

PSQL = "psql"


def run_tool(state: State, program: str, words: Sequence[str]) -> int:
    known = remembered(state)
    if program == PSQL:
        return _psql(state, known.get(postgres.COMPONENT), words)
    return _of_the_broker(state, known, program, words)


def _psql(state: State, port: int | None, words: Sequence[str]) -> int:
    if not has_private_database():
        raise StackError('this database is not the stack\'s own: psql "$DATABASE_URL"')
    programs = servers.require(servers.postgres_programs(), "postgresql")
    command = [str(programs / PSQL), *words]
    return subprocess.run(command, env=_as_superuser(state, port), check=False).returncode


def _as_superuser(state: State, port: int | None) -> dict[str, str]:
    """What `psql` is told by its surroundings: among its words all users would see it."""
    if port is None:
        raise _never_started()
    return {
        **os.environ,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(port),
        "PGDATABASE": "paperline",
        "PGUSER": postgres.SUPERUSER,
        "PGPASSWORD": postgres.password_of(state, postgres.SUPERUSER),
    }


def _of_the_broker(
    state: State, known: dict[str, int], program: str, words: Sequence[str]
) -> int:
    if not has_private_broker():
        raise StackError(f"this broker is not the stack's own: type {program} where it runs")
    if not set(rabbitmq.PORTS) <= known.keys():
        raise _never_started()
    launch = rabbitmq.tool(state, known, program, *words)
    return subprocess.run(
        launch.command,
        env=launch.environment,
        cwd=launch.folder,
        check=False,
        **rights_of(launch.account),
    ).returncode


def _never_started() -> StackError:
    return StackError("This stack was never started: ./paperline up")
