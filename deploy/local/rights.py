"""A module of the system run by hand, with the addresses and rights of one of its accounts.

What an operator types on a server (`python -m shared.access list`) finds its database in the
surroundings of the service. On this machine they are in the state folder, and nobody should
have to copy passwords out of it.
"""

import subprocess
from collections.abc import Sequence

from deploy.local import packages, services
from deploy.local.endpoints import endpoints
from deploy.local.state import State

TOPOLOGY = "topology"


def run_as(state: State, account: str, module: str, words: Sequence[str]) -> int:
    surroundings = {**services.surroundings(), **rights(state, account)}
    command = [str(packages.PYTHON), "-m", module, *words]
    return subprocess.run(command, env=surroundings, check=False).returncode


def rights(state: State, account: str) -> dict[str, str]:
    """What the account is told: `topology` declares queues, the others are services."""
    reach = endpoints(state)
    if account != TOPOLOGY:
        return services.environment(state, account, reach)
    return {
        "PAPERLINE_TOPOLOGY_AMQP_URL": reach.amqp[TOPOLOGY],
        "PAPERLINE_TOPOLOGY_API_URL": reach.broker_api[TOPOLOGY],
    }
