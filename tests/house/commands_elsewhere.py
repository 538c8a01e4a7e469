"""Commands of the guides that are not typed on the shared stack, and who runs them instead.

What is not listed here is typed, as it stands in its guide, by
`tests/system/test_when_a_guide_is_followed.py`. Each entry says why that cannot be, and which
test does what the command does; the words after it stand in that test, so that an entry whose
test has gone is found.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.house.guides import APART, Shown


@dataclass(frozen=True, slots=True)
class Elsewhere:
    why: str
    test: str
    words: str


_ENDS_THE_STACK = "it would stop the stack that the other commands are typed on"
_ALL_OF_IT = "it is what runs this test"
_AN_ENGINE = "it needs a container engine"
_A_CLUSTER = "it needs a cluster; what it applies is held against the schemas of Kubernetes"
_MINUTES = "it takes minutes; its figures are taken with fewer documents"
_CI, _KUBERNETES = ".ci/run", "tests/house/test_k8s.py"
_CONTAINERS = "tests/containers/test_the_stack_in_containers.py"
_LOST = "tests/system/test_when_everything_is_lost.py"
_TLS = "tests/system/test_when_everything_speaks_tls.py"
_FIGURES = "tests/system/test_when_figures_are_taken.py"

# By the beginning of the command; the longest that fits counts.
COMMANDS: Mapping[str, Elsewhere] = {
    "./paperline demo": Elsewhere(
        "it reads the samples, and then what others handed in would be waited for",
        "tests/system/test_when_servers_are_given.py",
        'stack.demo("--once")',
    ),
    "./paperline down": Elsewhere(
        _ENDS_THE_STACK, "tests/system/test_when_the_stack_is_stopped.py", "stack.down()"
    ),
    "./paperline verify": Elsewhere(
        "it would say what other tests break on purpose",
        "tests/system/test_when_a_promise_is_broken_outside.py",
        'stack.tried("verify"',
    ),
    "./paperline backup": Elsewhere(
        "a copy is worth what can be brought back from it", _LOST, "stack.backup("
    ),
    "./paperline --state NEW restore": Elsewhere(
        "it wants a state folder in which there is nothing", _LOST, '"restore", backup'
    ),
    "./paperline node stop rabbitmq --kill": Elsewhere(
        _ENDS_THE_STACK, "tests/system/test_when_the_broker_restarts.py", "stop_node("
    ),
    "./paperline check": Elsewhere(_ALL_OF_IT, _CI, "./paperline check"),
    "./paperline test": Elsewhere(_ALL_OF_IT, _CI, "./paperline test"),
    **{
        f"./paperline bench {name}": Elsewhere(_MINUTES, _FIGURES, f'"{name}": ')
        for name in (
            *("bus", "ingest", "monitor", "pipeline", "provider", "reading", "review"),
            *("simulation", "sizing"),
        )
    },
    **{
        f"python -m deploy.sizing {option}": Elsewhere(
            "it writes a guide anew", "tests/unit/sizing/test_needs.py", "page.BLOCKS[name]()"
        )
        for option in ("--adopt", "--page")
    },
    "docker compose --profile core up": Elsewhere(
        _AN_ENGINE, "tests/containers/conftest.py", 'compose("up", "--detach", "--wait"'
    ),
    "docker compose -f docker-compose.yml -f deploy/compose/tls.yml": Elsewhere(
        _AN_ENGINE, _CONTAINERS, '"deploy/compose/tls.yml"'
    ),
    "./paperline submit --url": Elsewhere(
        "nothing speaks TLS on the shared stack", _TLS, '"PAPERLINE_CA_FILE"'
    ),
    "docker compose run": Elsewhere(_AN_ENGINE, _CONTAINERS, '"run", "--rm", "--entrypoint"'),
    "kubectl kustomize": Elsewhere(
        "a build of one overlay needs its name", _KUBERNETES, '["kubectl", "kustomize"]'
    ),
    "kubectl apply": Elsewhere(_A_CLUSTER, _KUBERNETES, "test_kubernetes_takes_an_overlay"),
    "kubectl create namespace": Elsewhere(_A_CLUSTER, _KUBERNETES, "complaints("),
    "kubectl label namespace": Elsewhere(_A_CLUSTER, _KUBERNETES, "complaints("),
    "kubectl -n paperline-broker create secret": Elsewhere(
        _A_CLUSTER, _KUBERNETES, "complaints("
    ),
    "kubectl -n paperline delete job": Elsewhere(_A_CLUSTER, _KUBERNETES, '_of("Job")'),
    "for folder in secrets/cluster": Elsewhere(
        _A_CLUSTER, _KUBERNETES, "test_a_pod_gets_the_secrets_of_its_own_service_only"
    ),
    "deploy/lock.sh": Elsewhere(
        "it asks a package index what is newest",
        "tests/house/test_requirements.py",
        "test_every_pin_is_exact_and_carries_its_hash",
    ),
}
# Guides whose commands belong together, in an order and a place of their own.
GUIDES: Mapping[str, Elsewhere] = {
    APART: Elsewhere(
        "its commands are for a checkout that has been changed as it says",
        "tests/system/test_when_a_job_type_is_added.py",
        "ADDING_A_JOB_TYPE.md",
    ),
}


def elsewhere(shown: Shown) -> Elsewhere | None:
    if shown.guide in GUIDES:
        return GUIDES[shown.guide]
    beginning = beginning_of(shown.text)
    return COMMANDS[beginning] if beginning else None


def beginning_of(text: str) -> str:
    fits = (one for one in COMMANDS if re.match(rf"{re.escape(one)}(?!\w)", text))
    return max(fits, key=len, default="")
