"""Commands of the guides that are not typed on the shared stack, and who runs them instead.

What is not listed here is typed, as it stands in its guide, by
`tests/system/test_when_a_guide_is_followed.py`. Each entry says why that cannot be, and names
the test that runs it: the guard reads that test's code and finds the command in it, part by
part, or finds that the test reads the guide itself and types what it shows.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.house.guides import APART, Shown


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """`test` is a test and its file, or a script that types the command as it stands."""

    why: str
    test: str
    # What stands in the code of that test, beside the parts of the command.
    words: tuple[str, ...] = ()
    # It takes the commands out of their guide, so that none of them stands in its code.
    as_shown: bool = False
    # With more words it is another command, and typed.
    alone: bool = False


_ENDS_THE_STACK = "it would stop the stack that the other commands are typed on"
_ALL_OF_IT = "it is what runs this test"
_AN_ENGINE = "it needs a container engine"
_A_CLUSTER = "it speaks to a cluster, and none can be had here: one that keeps account is asked"
_MINUTES = "it takes minutes; its figures are taken with fewer documents"
_WRITES_A_GUIDE = "it writes a guide anew: here beside it"
_CI = ".ci/run"
_CONTAINERS = "tests/containers/test_the_stack_in_containers.py"
_OVER_TLS = "tests/containers/test_the_stack_over_tls.py::test_a_document_is_read"
_LOST = (
    "tests/system/test_when_everything_is_lost.py"
    "::test_what_was_accepted_before_comes_back_and_clients_bring_the_rest"
)
_FIGURES = (
    "tests/system/test_when_figures_are_taken.py"
    "::test_a_benchmark_runs_to_its_end_and_tells_its_goals"
)
_K8S_GUIDE = "tests/house/test_k8s_guide.py"
_RUNBOOK = ("RUNBOOK.md", "shown_in(", "one.text")


# By the beginning of the command; the longest that fits counts.
COMMANDS: Mapping[str, Elsewhere] = {
    "./paperline demo": Elsewhere(
        "it reads the samples, and then what others handed in would be waited for",
        "tests/system/test_when_servers_are_given.py::test_a_demo_reads_the_samples_on_them",
        ("stack.demo('--once')",),
    ),
    "./paperline down": Elsewhere(
        _ENDS_THE_STACK,
        "tests/system/test_when_the_stack_is_stopped.py"
        "::test_what_is_in_hand_is_finished_and_the_rest_goes_on",
        ("stack.down()",),
    ),
    "./paperline verify": Elsewhere(
        "it would say what other tests break on purpose",
        "tests/system/test_when_a_promise_is_broken_outside.py"
        "::test_the_command_says_it_and_ends_accordingly",
        ("stack.tried('verify'",),
    ),
    "./paperline backup": Elsewhere(
        "a copy is worth what can be brought back from it", _LOST, ("stack.backup(",)
    ),
    "./paperline --state NEW restore": Elsewhere(
        "it wants a state folder in which there is nothing", _LOST, ("'restore', backup",)
    ),
    "./paperline node stop rabbitmq --kill": Elsewhere(
        _ENDS_THE_STACK,
        "tests/system/test_when_the_broker_restarts.py::test_no_document_is_lost_or_doubled",
        ("stack.stop_node('rabbitmq'",),
    ),
    "./paperline check": Elsewhere(_ALL_OF_IT, _CI),
    "./paperline test": Elsewhere(_ALL_OF_IT, _CI, alone=True),
    **{
        f"./paperline bench {name}": Elsewhere(_MINUTES, _FIGURES, (f"'{name}': ",))
        for name in (
            *("bus", "ingest", "monitor", "pipeline", "provider", "reading", "review"),
            *("simulation", "sizing"),
        )
    },
    **{
        f"python -m deploy.sizing {option}": Elsewhere(_WRITES_A_GUIDE, test, (f"'{option}'",))
        for option, test in (
            ("--adopt", "tests/unit/sizing/test_page.py::test_figures_are_adopted"),
            ("--page", "tests/unit/sizing/test_page.py::test_the_page_is_written_anew"),
        )
    },
    **{
        f"docker compose {does}": Elsewhere(
            _AN_ENGINE, f"{_CONTAINERS}::test_the_documents_of_the_demo_end", (f"{typed})",)
        )
        for does, typed in (
            ("--profile core build", "(BUILD, BUILD_DOUBLE"),
            ("--profile core up", "types(UP, within_s=UP_WITHIN_S"),
            ("run", "types(FIRST_KEY"),
        )
    },
    "export COMPOSE_FILE=docker-compose.yml:deploy/compose/tls.yml": Elsewhere(
        "it is for the commands after it", _OVER_TLS, ("(MAIN, TLS,",)
    ),
    "./paperline submit --url": Elsewhere("nothing speaks TLS on the shared stack", _OVER_TLS),
    **{
        f"docker compose {beginning}": Elsewhere(
            _AN_ENGINE,
            f"{_CONTAINERS}::test_a_module_is_run_as_the_runbook_says",
            _RUNBOOK,
            as_shown=True,
        )
        for beginning in (
            *("exec ingest", "exec database", "exec broker", "run --rm --no-deps review"),
            *("run --rm migrate-review", "run --rm topology"),
        )
    },
    **{
        beginning: Elsewhere(
            f"{_AN_ENGINE}, and its commands belong together",
            "tests/containers/test_the_guide_of_compose.py"
            "::test_a_stolen_password_opens_nothing_any_more",
            _RUNBOOK,
            as_shown=True,
        )
        for beginning in (
            *("python3 -m deploy.secrets --renew", 'echo "ALTER ROLE paperline_ingest'),
            *("docker compose exec -T broker", "docker compose up --wait"),
        )
    },
    "kubectl": Elsewhere(
        _A_CLUSTER,
        f"{_K8S_GUIDE}::test_a_module_is_run_as_the_runbook_says",
        _RUNBOOK,
        as_shown=True,
    ),
}
# Guides whose commands belong together, in an order and a place of their own.
GUIDES: Mapping[str, Elsewhere] = {
    "deploy/compose/README.md": Elsewhere(
        f"{_AN_ENGINE}, and what one of its sections does the next one stands on",
        "tests/containers/test_the_guide_of_compose.py::test_what_was_copied_is_brought_back",
        ("README.md", "shown_in(", "one.text"),
    ),
    "deploy/k8s/README.md": Elsewhere(
        _A_CLUSTER,
        f"{_K8S_GUIDE}::test_what_the_guide_makes_is_all_that_the_cluster_wants",
        ("deploy/k8s/README.md", "shown_in(", "one.text"),
    ),
    "deploy/SUBMITTING.md": Elsewhere(
        "its programs hand in what its first commands have laid there",
        "tests/system/test_when_a_program_submits.py::test_what_the_guide_says_is_enough",
        ("SUBMITTING.md", "shown_in(", "one.text"),
    ),
    APART: Elsewhere(
        "its commands are for a checkout that has been changed as it says",
        "tests/system/test_when_a_job_type_is_added.py"
        "::test_what_the_guide_says_is_all_that_it_takes",
        ("ADDING_A_JOB_TYPE.md", "shown_in(", "one.text"),
    ),
}


def elsewhere(shown: Shown) -> Elsewhere | None:
    if shown.guide in GUIDES:
        return GUIDES[shown.guide]
    beginning = beginning_of(shown.text)
    return COMMANDS[beginning] if beginning else None


def beginning_of(text: str) -> str:
    """Empty for what is typed. Whoever asks a command for help has not begun it."""
    if text.endswith("--help"):
        return ""
    fits = (one for one, exception in COMMANDS.items() if _fits(one, exception, text))
    return max(fits, key=len, default="")


def _fits(beginning: str, exception: Elsewhere, text: str) -> bool:
    if exception.alone:
        return text == beginning
    return re.match(rf"{re.escape(beginning)}(?![\w-])", text) is not None
