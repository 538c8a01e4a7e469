"""Every module says why it exists and stays small enough to be read in one sitting.

What hurts in a code base is the tail: one long function, one long file. So there are hard
limits, and no list of old exceptions that nobody ever shortens.
"""

import ast
import re

import pytest

from tests.house.repository import Source, functions, imported_packages, modules

MODULE_LINES_MAX = 300
FUNCTION_LINES_MAX = 50
DOCSTRING_LINES_MAX = 12
BANNED_NAMES = {"base", "common", "helpers", "manager", "misc", "service", "utils"}

# Only what stands behind the `migrate` door may load it: it costs a second at every start.
MIGRATION_TOOLS = {"alembic", "sqlalchemy"}

every_module = pytest.mark.parametrize("module", modules(), ids=str)
every_shipped_module = pytest.mark.parametrize("module", modules("shared", "services"), ids=str)


@every_module
def test_a_module_opens_with_why_it_exists(module: Source) -> None:
    docstring = ast.get_docstring(module.tree())

    assert docstring, f"{module} has no module docstring"
    opening = docstring.partition("\n\n")[0]
    assert opening.endswith((".", "?", "!", ":")), f"{module} opens with a title, no sentence"
    assert len(docstring.splitlines()) <= DOCSTRING_LINES_MAX


@every_module
def test_a_module_is_not_named_after_nothing(module: Source) -> None:
    assert module.path.stem not in BANNED_NAMES
    assert module.path.parent.name not in BANNED_NAMES


@every_module
def test_a_module_fits_its_limit(module: Source) -> None:
    lines = len(module.text().splitlines())

    assert lines <= MODULE_LINES_MAX, f"{module} has {lines} lines"


@every_module
def test_a_function_fits_on_a_screen(module: Source) -> None:
    too_long = {
        f"{function.name} (line {function.lineno})": length
        for function in functions(module)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES_MAX
    }

    assert not too_long, f"{module}: {too_long}"


@every_shipped_module
def test_a_function_does_not_take_the_name_handle(module: Source) -> None:
    # A handler is named after its job: `extract_document`, not `handle_extract`.
    named = [one.name for one in functions(module) if re.match(r"handle_", one.name)]

    assert not named, f"{module}: {named}"


@every_shipped_module
def test_only_migrations_load_the_migration_tools(module: Source) -> None:
    if "migrations" in str(module) or str(module) == "shared/database/revision.py":
        return

    assert not imported_packages(module) & MIGRATION_TOOLS
