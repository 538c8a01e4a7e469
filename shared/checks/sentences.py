"""What a person reads about a rule that failed: its sentence, with the numbers in it.

Values come from a document that nobody can trust, so they are cut short and stay on one line.
"""

from decimal import Decimal

from shared.checks.book import PLACEHOLDER
from shared.checks.scope import Scope
from shared.checks.values import Value

SHOWN_CHARS_MAX = 60


def filled(says: str, scope: Scope, difference: Decimal | None, place: int | None) -> str:
    def value(name: str) -> str:
        if name == "difference":
            return shown(difference)
        if name == "place":
            return str((place or 0) + 1)
        if name.startswith("it."):
            return shown(scope.it.get(name.removeprefix("it.")))
        return shown(scope.values.get(name))

    return PLACEHOLDER.sub(lambda found: value(found[1]), says)


def shown(value: Value) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Decimal):
        return f"{value:f}"
    text = "".join(one if one.isprintable() else " " for one in str(value)[:SHOWN_CHARS_MAX])
    return text if len(str(value)) <= SHOWN_CHARS_MAX else f"{text}…"
