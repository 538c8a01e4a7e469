"""What only one place may do: settle, publish, swallow, sleep, start a task.

Each of these is harmless in the place that was made for it and a lost message or a flaky test
anywhere else. A rule that the linter cannot express stands here.
"""

import ast

from tests.house.repository import (
    Source,
    called,
    calls,
    functions,
    imported_names,
    imported_packages,
    modules,
    require,
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
TEST_FILES = [one for one in TESTS if one.path.name.startswith("test_")]


def _but(sources: list[Source], *left_out: str) -> list[Source]:
    return [one for one in sources if not one.under(*left_out)]


def test_only_the_consumer_catches_every_exception() -> None:
    require(_catching_everything, _but(SHIPPED, "shared/bus/consumer.py"))


def _catching_everything(module: Source) -> list[str]:
    return [
        f"line {node.lineno}"
        for node in module.nodes()
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
    ]


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(one) in ("Exception", "BaseException") for one in caught)


def test_only_the_bus_settles_a_delivery_and_publishes_a_message() -> None:
    require(_settling, _but(SHIPPED, "shared/bus/", *PUBLISH_OUTSIDE_THE_BUS))


def _settling(module: Source) -> list[str]:
    speaks_amqp = bool(imported_packages(module) & BROKER_CLIENTS)
    # Without the client at hand, a method of that name belongs to one of our own ports.
    raw = {name for name in SETTLING | PUBLISHING if speaks_amqp or name.startswith("basic_")}
    return [_at(one) for one in calls(module) if called(one).split(".")[-1] in raw]


def _at(call: ast.Call) -> str:
    return f"{called(call)} (line {call.lineno})"


def test_a_service_does_not_speak_to_the_broker_by_itself() -> None:
    require(lambda one: imported_packages(one) & BROKER_CLIENTS, modules("services"))


def test_a_task_belongs_to_a_group() -> None:
    # A task nobody waits for dies silently, and is not waited for when the process drains.
    def bare(module: Source) -> list[str]:
        return [_at(one) for one in calls(module) if called(one) in BARE_TASKS]

    require(bare, _but(SHIPPED, "shared/process/", "shared/bus/"))


def test_a_test_waits_for_a_fact_not_for_time() -> None:
    require(_asleep, _but(TESTS, "tests/eventually.py", "tests/nemesis/pace.py"))


def _asleep(module: Source) -> list[str]:
    return [
        f"{_at(one)}; use tests/eventually.py"
        for one in calls(module)
        # `sleep(0)` waits for nobody: it lets the other tasks take their turn.
        if called(one) in SLEEPS and [ast.unparse(arg) for arg in one.args] != ["0"]
    ]


def test_a_test_uses_fakes_and_never_mocks() -> None:
    require(lambda one: imported_names(one) & MOCKS, TESTS)


def test_a_test_is_named_after_a_fact() -> None:
    require(_unlike_a_fact, TEST_FILES)


def _unlike_a_fact(module: Source) -> list[str]:
    return [
        one.name
        for one in functions(module)
        if one.name.startswith("test_") and not _reads_as_a_fact(one.name)
    ]


def _reads_as_a_fact(name: str) -> bool:
    words = name.removeprefix("test_").split("_")
    return len(words) >= 3 and words[0] != "handle" and "should" not in words


def test_a_system_test_is_named_after_its_situation() -> None:
    found = [str(one) for one in TEST_FILES if one.under("tests/system/")]

    assert not [one for one in found if not one.startswith("tests/system/test_when_")]


def test_what_a_route_depends_on_is_awaited() -> None:
    # The framework sends a plain function into a thread, which costs more than what it does.
    def plain(module: Source) -> set[str]:
        asked = {
            ast.unparse(one.args[0])
            for one in calls(module)
            if called(one) == "Depends" and one.args
        }
        return asked & {one.name for one in module.nodes() if isinstance(one, ast.FunctionDef)}

    require(plain, SHIPPED)


def test_the_names_of_the_conventions_stand_in_one_module() -> None:
    def named(module: Source) -> list[str]:
        return [
            node.value
            for node in module.nodes()
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.startswith(("messaging.", "gen_ai."))
        ]

    require(named, _but(SHIPPED, "shared/observability/conventions.py"))
