"""The judge of the system shares nothing with it, or it would share its mistakes."""

import ast
import re

from deploy.verify.checking import CHECKS
from deploy.verify.promises import PROMISES
from tests.house.repository import Source, files, imported_names, modules, require

JUDGE = modules("deploy/verify")
STATEMENTS = files("deploy/verify", suffix=".sql")
# Where each promise is broken by hand, and by which check that has to be seen.
BREAKAGES = [
    one
    for one in modules("tests/system")
    if re.match(r"breakages|test_when_a_promise_is_broken", one.path.stem)
]
# Which queues there are is agreed on by all, and is no code that does anything; and how a
# connection that could not be opened is given up, nobody has to find out twice.
SHARED = ("shared.topology.plan", "shared.topology.queues", "shared.dialling")


def test_the_judge_uses_nothing_of_those_it_judges() -> None:
    def foreign(module: Source) -> list[str]:
        return [
            name
            for name in sorted(imported_names(module))
            if name.startswith(("services", "shared", "deploy.local"))
            and not name.startswith(SHARED)
        ]

    require(foreign, JUDGE)


def test_a_statement_of_the_judge_only_reads_and_says_why() -> None:
    def otherwise(statement: Source) -> str:
        lines = [one for one in statement.text().splitlines() if not one.startswith("--")]
        reads = lines[0].startswith(("SELECT", "WITH")) and "FOR UPDATE" not in statement.text()
        return "" if statement.text().startswith("-- ") and reads else lines[0]

    require(otherwise, STATEMENTS)


def test_every_statement_of_the_judge_is_used() -> None:
    told = {
        node.value
        for module in JUDGE
        for node in module.nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {one.path.stem for one in STATEMENTS}
    # Their names are put together.
    of_logs = {one for one in named if one.startswith("audit_lines_of_")}

    assert named - told - of_logs == set()


def test_every_promise_is_looked_at() -> None:
    asked = {
        node.args[0].value
        for module in JUDGE
        for node in module.nodes()
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("Check", "Table")
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }

    assert asked == set(PROMISES)


def test_every_check_has_something_broken_that_it_has_to_name() -> None:
    told = {
        node.value
        for source in BREAKAGES
        for node in source.nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    checks = {f"{one.promise} {one.name}" for one in CHECKS}

    assert checks - told == set()
    # A name that no check bears would be waited for in vain.
    named = {one for one in told if re.fullmatch(r"I\d+ [a-z_]+", one)}
    assert named - checks == set()
