"""Every module says why it exists and stays small enough to be read in one sitting.

What hurts in a code base is the tail: one long function, one long file. So there are hard
limits, and no list of old exceptions that nobody ever shortens.
"""

import ast
import re

from tests.house.repository import Source, functions, imported_packages, modules, require

MODULE_LINES_MAX = 300
FUNCTION_LINES_MAX = 50
DOCSTRING_LINES_MAX = 12
BANNED_NAMES = {"base", "common", "helpers", "manager", "misc", "service", "utils"}

# Only what stands behind the `migrate` door may load it: it costs a second at every start.
MIGRATION_TOOLS = {"alembic", "sqlalchemy"}

MODULES, SHIPPED = modules(), modules("shared", "services")


def test_a_module_opens_with_why_it_exists() -> None:
    require(_ill_opened, MODULES)


def _ill_opened(module: Source) -> str:
    docstring = ast.get_docstring(module.tree()) or ""
    opening = docstring.partition("\n\n")[0]
    if not docstring:
        return "no module docstring"
    if not opening.endswith((".", "?", "!", ":")):
        return "opens with a title, no sentence"
    too_long = len(docstring.splitlines()) > DOCSTRING_LINES_MAX
    return f"more than {DOCSTRING_LINES_MAX} lines of docstring" if too_long else ""


def test_a_module_is_not_named_after_nothing() -> None:
    require(lambda one: {one.path.stem, one.path.parent.name} & BANNED_NAMES, MODULES)


def test_a_module_fits_its_limit() -> None:
    def too_long(module: Source) -> str:
        lines = len(module.text().splitlines())
        return f"{lines} lines" if lines > MODULE_LINES_MAX else ""

    require(too_long, MODULES)


def test_a_function_fits_on_a_screen() -> None:
    def too_long(module: Source) -> dict[str, int]:
        return {
            f"{one.name} (line {one.lineno})": length
            for one in functions(module)
            if (length := (one.end_lineno or 0) - one.lineno + 1) > FUNCTION_LINES_MAX
        }

    require(too_long, MODULES)


def test_a_function_does_not_take_the_name_handle() -> None:
    # A handler is named after its job: `extract_document`, not `handle_extract`.
    def named(module: Source) -> list[str]:
        return [one.name for one in functions(module) if re.match(r"handle_", one.name)]

    require(named, SHIPPED)


def test_only_migrations_load_the_migration_tools() -> None:
    def loaded(module: Source) -> set[str]:
        if "migrations" in str(module) or str(module) == "shared/database/revision.py":
            return set()
        return imported_packages(module) & MIGRATION_TOOLS

    require(loaded, SHIPPED)
