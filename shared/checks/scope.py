"""What an expression can ask while it runs: an invoice's fields and what the rules know."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from shared.checks.values import Value, Values

Type = Literal["number", "date", "text", "truth", "list", "column", "same"]


class Lacking(Exception):
    """The rule asks for something that is not there: it is skipped, not failed."""


@dataclass(frozen=True, slots=True)
class Company:
    """One of us."""

    names: tuple[str, ...]
    vat_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the configuration knows beside the rules themselves."""

    minor_units: int = 2
    exceptions: Mapping[str, int] = field(default_factory=dict)
    legal_rates: Mapping[str, Sequence[Decimal]] = field(default_factory=dict)
    companies: Sequence[Company] = ()

    def unit(self, currency: str | None) -> Decimal:
        """The smallest coin there is: 0.01 for most, 1 for the yen, 0.001 for the dinar."""
        return Decimal(1).scaleb(-self.exceptions.get(currency or "", self.minor_units))


@dataclass(slots=True)
class Scope:
    values: Values
    knowledge: Knowledge
    today: date
    # Whether it came as data: then nothing has been rounded on the way.
    exact: bool = False
    # The member, of a rule for each of a list.
    it: Mapping[str, Value] = field(default_factory=dict)

    @staticmethod
    def nothing() -> "Scope":
        return Scope(Values(), Knowledge(), date.min)


# The types were checked when the expression was compiled.
Evaluate = Callable[[Scope], Any]
Function = Callable[[Scope, list[Any]], Any]


@dataclass(frozen=True, slots=True)
class TypedFunction:
    run: Function
    # What each argument must be; the last one may repeat when `more`. None takes anything.
    takes: tuple[Type | None, ...]
    answers: Type
    more: bool = False
    # All of one type, and so is the answer.
    alike: bool = False

    def refuses(self, given: list[Type]) -> str | None:
        wanted = list(self.takes)
        if self.more and len(given) > len(wanted):
            wanted += wanted[-1:] * (len(given) - len(wanted))
        if len(given) != len(wanted):
            return f"takes {len(self.takes)} arguments and was given {len(given)}"
        for place, (one, other) in enumerate(zip(given, wanted, strict=True), start=1):
            if other is not None and one != other:
                return f"needs a {other} as argument {place} and was given a {one}"
        if self.alike and len(set(given)) > 1:
            return f"needs arguments of one type and was given {' and '.join(given)}"
        return None
