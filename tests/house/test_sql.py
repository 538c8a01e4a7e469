"""SQL stands in `.sql` files, one statement each, opened by why, under the name of its method.

So a reader finds a statement by the name in the stack trace, a diff shows SQL as SQL, and one
test can ask PostgreSQL to prepare them all.
"""

import ast
import re
from functools import cache

from tests.house.repository import (
    ROOT,
    Source,
    called,
    calls,
    files,
    functions,
    modules,
    require,
)

_COMMENT = re.compile(r"--[^\n]*")
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_PARAMETER = re.compile(r"\$(\d+)")
_STATEMENT_IN_PYTHON = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s")

STATEMENTS = [one for one in files("shared", "services", suffix=".sql") if "/sql/" in str(one)]
REVISIONS = [
    one for one in files("shared", "services", suffix=".sql") if "/migrations/" in str(one)
]
STRAY = [
    one
    for one in files("shared", "services", suffix=".sql")
    if one not in STATEMENTS and one not in REVISIONS
]


def _opening(source: Source) -> str:
    lines = source.text().splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return "\n".join(lines[:end])


def _bare(source: Source) -> str:
    """The statement without comments and literals, where a `;` or a `$1` means itself."""
    return _LITERAL.sub("''", _COMMENT.sub("", source.text())).strip()


@cache
def _known_in(folder: str) -> set[str]:
    """What a statement may be named after: a method of the modules that may own it, which are
    a service's adapters or the shared package around it."""
    if folder.startswith("services/"):
        # Its reader looks for the method; in shared one method may need two statements.
        adapters = [one for one in modules(folder) if one.under(f"{folder}/adapters")]
        return {function.name for one in adapters for function in functions(one)}
    methods = {function.name for one in modules(folder) for function in functions(one)}
    return methods | {name for one in modules(folder) for name in _names_loaded(one)}


def _names_loaded(module: Source) -> set[str]:
    """Names given to `statement(__file__, "name")`."""
    return {
        argument.value
        for call in calls(module)
        if called(call).endswith("statement")
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def test_a_statement_opens_with_why() -> None:
    def opens_otherwise(statement: Source) -> str:
        first = statement.text().partition("\n")[0]
        good = first.startswith("-- ") and not _PARAMETER.search(first)
        return "" if good else first

    require(opens_otherwise, STATEMENTS)


def test_a_statement_names_its_parameters_on_top() -> None:
    def unlike(statement: Source) -> set[str]:
        used = set(_PARAMETER.findall(_bare(statement)))
        return used ^ set(re.findall(r"\$(\d+) \w+", _opening(statement)))

    require(unlike, STATEMENTS)


def test_a_statement_is_alone_in_its_file() -> None:
    require(lambda one: ";" in _bare(one).removesuffix(";"), STATEMENTS)


def test_a_statement_has_a_method_of_its_name() -> None:
    def unowned(statement: Source) -> bool:
        home = next(one for one in statement.path.parents if one.name == "sql").parent
        known = _known_in(home.relative_to(ROOT).as_posix())
        return not {statement.path.stem, f"_{statement.path.stem}"} & known

    require(unowned, STATEMENTS)


def test_a_revision_says_whether_it_expands_or_contracts() -> None:
    require(_ill_made, REVISIONS)


def _ill_made(revision: Source) -> str:
    if not re.fullmatch(r"\d{4}_(expand|contract)_[a-z0-9_]+", revision.path.stem):
        return "is named otherwise"
    if not revision.path.with_suffix(".py").exists():
        return "no revision file beside it"
    return "" if revision.text().startswith("-- ") else "does not explain itself"


def test_sql_lives_among_statements_or_revisions_only() -> None:
    assert not [str(one) for one in STRAY]


def test_no_statement_hides_in_a_python_string() -> None:
    def hidden(module: Source) -> list[str]:
        return [
            f"line {node.lineno}"
            for node in module.nodes()
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _STATEMENT_IN_PYTHON.match(node.value)
        ]

    # `shared/database` prepares the ground on which statements can be run at all.
    shipped = [
        one for one in modules("shared", "services") if not one.under("shared/database/")
    ]
    require(hidden, shipped)
