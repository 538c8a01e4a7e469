"""SQL stands in `.sql` files, one statement each, opened by why, under the name of its method.

So a reader finds a statement by the name in the stack trace, a diff shows SQL as SQL, and one
test can ask PostgreSQL to prepare them all.
"""

import ast
import re

import pytest

from tests.house.repository import ROOT, Source, files, functions, modules

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

every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=str)
every_revision = pytest.mark.parametrize("revision", REVISIONS, ids=str)


def _opening(source: Source) -> str:
    lines = source.text().splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return "\n".join(lines[:end])


def _bare(source: Source) -> str:
    """The statement without comments and literals, where a `;` or a `$1` means itself."""
    return _LITERAL.sub("''", _COMMENT.sub("", source.text())).strip()


def _owners(statement: Source) -> list[Source]:
    """The modules that may own it: a service's adapters, or the shared package around it."""
    home = next(one for one in statement.path.parents if one.name == "sql").parent
    folder = home.relative_to(ROOT).as_posix()
    if folder.startswith("services/"):
        return [one for one in modules(folder) if one.under(f"{folder}/adapters")]
    return modules(folder)


def _names_loaded(module: Source) -> set[str]:
    """Names given to `statement(__file__, "name")`."""
    return {
        argument.value
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("statement")
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


@every_statement
def test_a_statement_opens_with_why(statement: Source) -> None:
    first = statement.text().partition("\n")[0]

    assert first.startswith("-- "), f"{statement} opens with {first!r}"
    assert not _PARAMETER.search(first), f"{statement}: the parameters come after the reason"


@every_statement
def test_a_statement_names_its_parameters_on_top(statement: Source) -> None:
    used = set(_PARAMETER.findall(_bare(statement)))
    named = set(re.findall(r"\$(\d+) \w+", _opening(statement)))

    assert used == named


@every_statement
def test_a_statement_is_alone_in_its_file(statement: Source) -> None:
    assert ";" not in _bare(statement).removesuffix(";")


@every_statement
def test_a_statement_has_a_method_of_its_name(statement: Source) -> None:
    owners = _owners(statement)
    methods = {function.name.lstrip("_") for one in owners for function in functions(one)}
    loaded = {name for one in owners for name in _names_loaded(one)}
    # A service's reader looks for the method; in shared one method may need two statements.
    known = methods if statement.under("services/") else methods | loaded

    assert statement.path.stem in known


@every_revision
def test_a_revision_says_whether_it_expands_or_contracts(revision: Source) -> None:
    assert re.fullmatch(r"\d{4}_(expand|contract)_[a-z0-9_]+", revision.path.stem)
    assert revision.path.with_suffix(".py").exists(), (
        f"{revision} has no revision file beside it"
    )
    assert revision.text().startswith("-- "), f"{revision} does not explain itself"


def test_sql_lives_among_statements_or_revisions_only() -> None:
    assert not [str(one) for one in STRAY]


@pytest.mark.parametrize(
    "module",
    # `shared/database` prepares the ground on which statements can be run at all.
    [one for one in modules("shared", "services") if not one.under("shared/database/")],
    ids=str,
)
def test_no_statement_hides_in_a_python_string(module: Source) -> None:
    hidden = [
        f"line {node.lineno}"
        for node in ast.walk(module.tree())
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _STATEMENT_IN_PYTHON.match(node.value)
    ]

    assert not hidden, f"{module}: {hidden}"
