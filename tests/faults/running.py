"""When a test runs: who reads what is tried wants to know how often."""

import ast
from pathlib import Path

from deploy.local.arguments import TIERS
from deploy.local.quality import WITH_ALL

ROOT = Path(__file__).resolve().parents[2]
DAILY, WITH_ALL_ONLY, BY_NAME = "every day", "with `--all`", "by its name only"
PARTLY = f"{DAILY}, and more of it {WITH_ALL_ONLY}"
SLOW = "pytest.mark.slow"


def runs(node_id: str) -> str:
    file, _, test = node_id.partition("::")
    tier = file.split("/")[1]
    if tier not in TIERS:
        return WITH_ALL_ONLY if tier in WITH_ALL else BY_NAME
    tree = ast.parse((ROOT / file).read_text())
    if any(_marks_all(node) for node in tree.body):
        return WITH_ALL_ONLY
    marks = [ast.unparse(one) for node in tree.body for one in _decorators(node, test)]
    if SLOW in marks:
        return WITH_ALL_ONLY
    return PARTLY if any(SLOW in one for one in marks) else DAILY


def _marks_all(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name("pytestmark")]):
            return SLOW in ast.unparse(node.value)
    return False


def _decorators(node: ast.stmt, test: str) -> list[ast.expr]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name == test:
            return node.decorator_list
    return []
