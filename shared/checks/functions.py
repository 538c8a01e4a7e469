"""The functions that rules may call. Each is total: it answers, or says what it lacks."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException
from typing import Any

from shared.checks.scope import Lacking, Scope, Type, TypedFunction

_EXACT = Context(prec=50, rounding=ROUND_HALF_UP)
NOTHING = Decimal(0)


def _given(value: object) -> Any:  # noqa: ANN401 -- typed by the expression's compiler
    if value is None:
        raise Lacking
    return value


def _abs(_: Scope, given: list[Any]) -> Decimal:
    return _number(given[0]).copy_abs()


def _number(value: object) -> Decimal:
    if not isinstance(value, Decimal):
        raise Lacking
    return value


def _largest(_: Scope, given: list[Any]) -> Decimal:
    return max(_number(one) for one in given)


def _smallest(_: Scope, given: list[Any]) -> Decimal:
    return min(_number(one) for one in given)


def _sum(_: Scope, given: list[Any]) -> Decimal:
    """Of a column without a gap: half a sum is no evidence."""
    if not given[0]:
        raise Lacking
    total = NOTHING
    for one in given[0]:
        total = _EXACT.add(total, _number(one))
    return total


def _all(_: Scope, given: list[Any]) -> bool:
    return all(_is_there(one) for one in given)


def _any(_: Scope, given: list[Any]) -> bool:
    return any(_is_there(one) for one in given)


def _is_there(one: object) -> bool:
    if isinstance(one, list):
        return bool(one) and None not in one
    return one is not None and one != {}


def _default(_: Scope, given: list[Any]) -> object:
    """For the list of functions only: the compiler has its own, which asks for the second
    argument when the first is not there."""
    return given[1] if given[0] is None else given[0]


def _count(_: Scope, given: list[Any]) -> Decimal:
    return Decimal(len(given[0]))


def _distinct(_: Scope, given: list[Any]) -> Decimal:
    return Decimal(len({one for one in given[0] if one is not None}))


def _holds(_: Scope, given: list[Any]) -> bool:
    """Whether a value stands in a column that has no gap."""
    if not given[0] or None in given[0]:
        raise Lacking
    return _given(given[1]) in given[0]


def _tolerance(scope: Scope, given: list[Any]) -> Decimal:
    if scope.exact:
        return NOTHING
    return _EXACT.multiply(scope.knowledge.unit(given[0]), _number(given[1]))


def _unit(scope: Scope, given: list[Any]) -> Decimal:
    return scope.knowledge.unit(given[0])


def _rounded(scope: Scope, given: list[Any]) -> Decimal:
    try:
        return _number(given[1]).quantize(scope.knowledge.unit(given[0]), context=_EXACT)
    except DecimalException:
        raise Lacking from None


def _last_digit(_: Scope, given: list[Any]) -> Decimal:
    """What the last digit that is printed is worth: 0.01 of 3.75."""
    exponent = _number(given[0]).as_tuple().exponent
    return Decimal(1).scaleb(min(0, exponent)) if isinstance(exponent, int) else Decimal(1)


def _priced(scope: Scope, given: list[Any]) -> bool:
    """Whether a line comes to its amount by one price, less a discount that is told as an
    amount or in percent. A price that is not there is none that does."""
    currency, net, quantity, price, *_ = given
    if price is None:
        return False
    # Half of the last figure that is printed of a price, as often as it is paid.
    printed = _EXACT.multiply(_last_digit(scope, [price]), _number(quantity).copy_abs())
    off = max(scope.knowledge.unit(currency), _EXACT.multiply(printed, Decimal("0.5")))
    try:
        return any(
            _EXACT.subtract(one, _number(net)).copy_abs() <= off
            for one in _line_sums(quantity, price, *given[4:])
        )
    except DecimalException:
        raise Lacking from None


def _line_sums(
    quantity: Decimal,
    price: Decimal,
    base: Decimal | None,
    amount: Decimal | None,
    percent: Decimal | None,
) -> Iterator[Decimal]:
    whole = _EXACT.multiply(quantity, price)
    if base is not None:
        whole = _EXACT.divide(whole, base)
    yield whole if amount is None else _EXACT.subtract(whole, amount)
    if percent is not None:
        left = _EXACT.subtract(Decimal(100), percent)
        yield _EXACT.divide(_EXACT.multiply(whole, left), Decimal(100))


def _days(_: Scope, given: list[Any]) -> Decimal:
    later, earlier = _given(given[0]), _given(given[1])
    if not (isinstance(later, date) and isinstance(earlier, date)):
        raise Lacking
    return Decimal((later - earlier).days)


def _rate_off(scope: Scope, given: list[Any]) -> Decimal:
    """How far a rate lies from the nearest legal one of a country."""
    rates = scope.knowledge.legal_rates.get(_given(given[0]))
    if not rates:
        raise Lacking
    return min(_EXACT.subtract(_number(given[1]), one).copy_abs() for one in rates)


def _first(_: Scope, given: list[Any]) -> str:
    return str(_given(given[0]))[: int(_number(given[1]))]


def _same(_: Scope, given: list[Any]) -> bool:
    """Whatever case and punctuation they are written in."""
    return folded(_given(given[0])) == folded(_given(given[1]))


def folded(text: str) -> str:
    return "".join(one for one in text.casefold() if one.isalnum())


def _is_us(scope: Scope, given: list[Any]) -> bool:
    """A name or a VAT id of ours. Without a list of us nobody can tell."""
    if not scope.knowledge.companies or not any(given):
        raise Lacking
    name, vat_id = (folded(one) if one else None for one in given)
    for one in scope.knowledge.companies:
        if vat_id and vat_id in map(folded, one.vat_ids):
            return True
        if name and any(ours in name for ours in map(folded, one.names) if ours):
            return True
    return False


_SIX_NUMBERS: tuple[Type, ...] = ("number",) * 6
FUNCTIONS: Mapping[str, TypedFunction] = {
    "abs": TypedFunction(_abs, ("number",), "number"),
    "max": TypedFunction(_largest, ("number", "number"), "number", more=True),
    "min": TypedFunction(_smallest, ("number", "number"), "number", more=True),
    "sum": TypedFunction(_sum, ("column",), "number"),
    "all": TypedFunction(_all, (None,), "truth", more=True),
    "any": TypedFunction(_any, (None,), "truth", more=True),
    "given": TypedFunction(_default, (None, None), "same", alike=True),
    "count": TypedFunction(_count, ("list",), "number"),
    "distinct": TypedFunction(_distinct, ("column",), "number"),
    "holds": TypedFunction(_holds, ("column", None), "truth"),
    "tol": TypedFunction(_tolerance, ("text", "number"), "number"),
    "unit": TypedFunction(_unit, ("text",), "number"),
    "rounded": TypedFunction(_rounded, ("text", "number"), "number"),
    "last_digit": TypedFunction(_last_digit, ("number",), "number"),
    "priced": TypedFunction(_priced, ("text", *_SIX_NUMBERS), "truth"),
    "days": TypedFunction(_days, ("date", "date"), "number"),
    "rate_off": TypedFunction(_rate_off, ("text", "number"), "number"),
    "first": TypedFunction(_first, ("text", "number"), "text"),
    "same": TypedFunction(_same, ("text", "text"), "truth"),
    "is_us": TypedFunction(_is_us, ("text", "text"), "truth"),
}
