"""What only one place may do: settle, publish, swallow, sleep, start a task.

Each of these is harmless in the place that was made for it and a lost message or a flaky test
anywhere else. A rule that the linter cannot express stands here.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.house.repository import (
    Source,
    calls,
    functions,
    imported_names,
    imported_packages,
    modules,
)

BROKER_CLIENTS = {"aio_pika", "aiormq", "pamqp"}
SETTLING = {"ack", "nack", "reject", "basic_ack", "basic_nack", "basic_reject"}
PUBLISHING = {"publish", "basic_publish"}
# An operator's command carries messages from queue to queue without opening one, and a client
# for other programs must not need what ours measures itself with.
PUBLISH_OUTSIDE_THE_BUS = {"shared/topology/migrate.py", "shared/publishing.py"}
SLEEPS = {"asyncio.sleep", "time.sleep", "sleep", "anyio.sleep"}
BARE_TASKS = {"asyncio.create_task", "asyncio.ensure_future", "create_task", "ensure_future"}
MOCKS = {"mock", "pytest_mock", "unittest.mock"}

SHIPPED = modules("shared", "services")
TESTS = modules("tests")

every_shipped_module = pytest.mark.parametrize("module", SHIPPED, ids=str)
every_test_module = pytest.mark.parametrize("module", TESTS, ids=str)
every_test_file = pytest.mark.parametrize(
    "module", [one for one in TESTS if one.path.name.startswith("test_")], ids=str
)


def _called(module: Source, names: set[str]) -> list[str]:
    """Calls of these methods on whatever object, with their lines."""
    return [
        f"{name} (line {line})" for name, line in calls(module) if name.split(".")[-1] in names
    ]


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(one) in ("Exception", "BaseException") for one in caught)


@every_shipped_module
def test_only_the_consumer_catches_every_exception(module: Source) -> None:
    if str(module) == "shared/bus/consumer.py":
        return
    found = [
        f"line {node.lineno}"
        for node in ast.walk(module.tree())
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
    ]

    assert not found, f"{module}: {found}"


@every_shipped_module
def test_only_the_bus_settles_a_delivery_and_publishes_a_message(module: Source) -> None:
    if module.under("shared/bus/") or str(module) in PUBLISH_OUTSIDE_THE_BUS:
        return
    speaks_amqp = bool(imported_packages(module) & BROKER_CLIENTS)
    # Without the client at hand, a method of that name belongs to one of our own ports.
    raw = {name for name in SETTLING | PUBLISHING if speaks_amqp or name.startswith("basic_")}

    assert not _called(module, raw)


@every_shipped_module
def test_a_service_does_not_speak_to_the_broker_by_itself(module: Source) -> None:
    if module.under("shared/"):
        return

    assert not imported_packages(module) & BROKER_CLIENTS


@every_shipped_module
def test_a_task_belongs_to_a_group(module: Source) -> None:
    # A task nobody waits for dies silently, and is not waited for when the process drains.
    if module.under("shared/process/", "shared/bus/"):
        return
    bare = [f"{name} (line {line})" for name, line in calls(module) if name in BARE_TASKS]

    assert not bare


@every_test_module
def test_a_test_waits_for_a_fact_not_for_time(module: Source) -> None:
    if str(module) == "tests/eventually.py":
        return
    asleep = [f"line {call.lineno}" for call in _sleeps(module)]

    assert not asleep, f"{module} sleeps: {asleep}; use tests/eventually.py"


def _sleeps(module: Source) -> Iterator[ast.Call]:
    for node in ast.walk(module.tree()):
        # `sleep(0)` waits for nobody: it lets the other tasks take their turn.
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in SLEEPS
            and [ast.unparse(one) for one in node.args] != ["0"]
        ):
            yield node


@every_test_module
def test_a_test_uses_fakes_and_never_mocks(module: Source) -> None:
    assert not imported_names(module) & MOCKS


@every_test_file
def test_a_test_is_named_after_a_fact(module: Source) -> None:
    unlike_a_fact = [
        one.name
        for one in functions(module)
        if one.name.startswith("test_") and not _reads_as_a_fact(one.name)
    ]

    assert not unlike_a_fact


def _reads_as_a_fact(name: str) -> bool:
    words = name.removeprefix("test_").split("_")
    return len(words) >= 3 and words[0] != "handle" and "should" not in words


@pytest.mark.parametrize(
    "module", [one for one in TESTS if one.under("tests/system/test_")], ids=str
)
def test_a_system_test_is_named_after_its_situation(module: Source) -> None:
    assert module.path.name.startswith("test_when_")


@every_shipped_module
def test_what_a_route_depends_on_is_awaited(module: Source) -> None:
    # The framework sends a plain function into a thread, which costs more than what it does.
    asked = {
        ast.unparse(call.args[0])
        for call in ast.walk(module.tree())
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Depends" and call.args
    }
    plain = {one.name for one in ast.walk(module.tree()) if isinstance(one, ast.FunctionDef)}

    assert not asked & plain, f"{module}: make {asked & plain} async"


@every_shipped_module
def test_the_names_of_the_conventions_stand_in_one_module(module: Source) -> None:
    if str(module) == "shared/observability/conventions.py":
        return
    found = [
        node.value
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(("messaging.", "gen_ai."))
    ]

    assert not found
