"""Which column means what, decided by the arithmetic of the rows, and the items that follow.

A label gives several readings; the one wins in which quantities times prices are the sums, and
the sums together are a printed total.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from services.extractor.domain.offline.columns import Role
from services.extractor.domain.offline.entries import Entry
from services.extractor.domain.offline.grid import Grid
from services.extractor.domain.offline.numbers import Token

CENT = Decimal("0.01")
HALF = Decimal("0.5")
HUNDRED = Decimal(100)
READINGS_MAX = 96
# More columns than these with several readings are read as their labels say first.
AMBIGUOUS_MAX = 6
TOTALS_MAX = 40
# A less likely reading of a label must earn its place.
SECOND_CHOICE = 0.35
MULTIPLIES = 2.0
SUMS_UP = 1.5
COUNTS = 0.02
TOGETHER = 1.0
# People write the price of one before the price of all.
AGAINST_THE_ORDER = 3.0


@dataclass(frozen=True, slots=True)
class Item:
    entry: Entry
    cells: Mapping[Role, Token]
    # Of every column, in their order.
    roles: tuple[Role | None, ...]
    # E8: None where one of the three numbers is missing.
    multiplies: bool | None

    @property
    def amount(self) -> Decimal | None:
        token = self.cells.get("amount") or self.cells.get("gross")
        return token.number.value if token else None

    @property
    def net_of_gross(self) -> Decimal | None:
        """Where only the sum with tax is printed, but the price is without: what multiplies."""
        needed: tuple[Role, ...] = ("quantity", "unit_price", "tax_rate", "gross")
        if "amount" in self.cells or any(role not in self.cells for role in needed):
            return None
        quantity, price, rate, gross = (self.cells[role].number.value for role in needed)
        net = (quantity * price).quantize(CENT)
        taxed = abs(net * (1 + rate / HUNDRED) - gross) <= CENT
        return net if rate and taxed else None


@dataclass(frozen=True, slots=True)
class Table:
    items: tuple[Item, ...]
    # E1: the printed total that the items sum up to.
    total: Decimal | None
    score: float


def best_table(
    entries: Sequence[Entry], totals: Sequence[Decimal], others: Collection[Decimal] = ()
) -> Table | None:
    """`totals` in the order in which they are likely to be the sum of the items; `others` are
    amounts that no label calls one, enough for several rows together only."""
    if not entries:
        return None
    grid = entries[0].grid
    best: Table | None = None
    for roles, likely in _readings(grid):
        table = _table(entries, roles, (totals, others), likely)
        if best is None or table.score > best.score:
            best = table
        if table.total is not None and all(item.multiplies for item in table.items):
            break
    return best


def together(tables: Sequence[Table], totals: Sequence[Decimal]) -> list[Table]:
    """Parts and labour, each with its own head, are one invoice when they sum up as one."""
    items = sorted(
        (item for table in tables for item in table.items), key=lambda one: one.entry.row.at
    )
    total = summed(items, totals) if len(tables) > 1 else None
    if total is None:
        return []
    return [Table(tuple(items), total, max(table.score for table in tables) + TOGETHER)]


def _readings(grid: Grid) -> Iterator[tuple[tuple[Role | None, ...], float]]:
    choices: list[Sequence[Role | None]] = []
    open_ = 0
    for column in grid.columns:
        open_ += len(column.roles) > 1
        roles_ = column.roles if open_ <= AMBIGUOUS_MAX else column.roles[:1]
        choices.append(roles_ or (None,))
    all_places = sorted(product(*(range(len(one)) for one in choices)), key=sum)
    for places in all_places[:READINGS_MAX]:
        roles = tuple(choice[at] for choice, at in zip(choices, places, strict=True))
        named = [role for role in roles if role]
        numeric = [role for role in named if role != "code"]
        if len(set(numeric)) < len(numeric):
            roles = _first_only(roles)
        likely = -SECOND_CHOICE * sum(map(bool, places)) - len(named) + len(set(named))
        yield roles, likely - (AGAINST_THE_ORDER if _price_after_the_sum(roles) else 0)


def _price_after_the_sum(roles: Sequence[Role | None]) -> bool:
    return "unit_price" in roles and any(
        sum_ in roles and roles.index(sum_) < roles.index("unit_price")
        for sum_ in ("amount", "gross")
    )


def _first_only(roles: Iterable[Role | None]) -> tuple[Role | None, ...]:
    found: list[Role | None] = []
    for role in roles:
        found.append(None if role in found else role)
    return tuple(found)


def _table(
    entries: Sequence[Entry],
    roles: Sequence[Role | None],
    printed: tuple[Sequence[Decimal], Collection[Decimal]],
    likely: float,
) -> Table:
    items = [_item(entry, roles) for entry in entries]
    sold = [item for item in items if item.amount is not None or item.multiplies is not None]
    chosen, total = _that_sum_up(sold, printed[0])
    if total is None and len(chosen) > 1:
        total = summed(chosen, tuple(printed[1]))
    judged = [item.multiplies for item in chosen if item.multiplies is not None]
    share = sum(judged) / len(judged) if judged else 0.0
    weight = len(judged) / len(chosen) if chosen else 0.0
    score = likely + MULTIPLIES * share * weight + SUMS_UP * (total is not None)
    return Table(tuple(chosen), total, score + COUNTS * len(chosen))


def _item(entry: Entry, roles: Sequence[Role | None]) -> Item:
    cells: dict[Role, Token] = {}
    for at, role in enumerate(roles):
        token = entry.number(at)
        if role is not None and token is not None:
            cells[role] = token
    return Item(entry, cells, tuple(roles), multiplies(cells))


def multiplies(cells: Mapping[Role, Token]) -> bool | None:
    """E8, with the discount and the price base that are printed."""
    sums = [cells[role] for role in ("amount", "gross") if role in cells]
    quantity, price = cells.get("quantity"), cells.get("unit_price")
    if not sums or quantity is None or price is None:
        return None
    product_ = quantity.number.value * price.number.value
    base = cells.get("price_base_qty")
    bases = [Decimal(1), *([base.number.value] if base and base.number.value > 0 else [])]
    rates = [Decimal(1), *_factors(cells)]
    slack = HALF * abs(quantity.number.value) * Decimal(1).scaleb(-price.number.places)
    return any(
        abs(abs(product_ * rate / by) - abs(one.number.value)) <= max(CENT, slack / by)
        for one in sums
        for by in bases
        for rate in rates
    )


def _factors(cells: Mapping[Role, Token]) -> Iterator[Decimal]:
    """What a discount leaves, and what a tax makes of a price."""
    if "discount" in cells:
        yield 1 - abs(cells["discount"].number.value) / HUNDRED
    if "tax_rate" in cells:
        yield 1 + cells["tax_rate"].number.value / HUNDRED


def _that_sum_up(
    items: Sequence[Item], totals: Sequence[Decimal]
) -> tuple[list[Item], Decimal | None]:
    """The entries up to a subtotal, with the extras among them or without, that sum up."""
    plain = [item for item in items if not item.entry.extra]
    sections = sorted({item.entry.section for item in items}, reverse=True)
    for group in (plain, list(items)):
        for last in sections:
            some = [item for item in group if item.entry.section <= last]
            total = summed(some, totals)
            if total is not None:
                return some, total
    for group in (plain, list(items)):
        count, total = _without_a_tail(group, totals[:TOTALS_MAX])
        if total is not None:
            return group[:count], total
    full = [item for item in plain if item.multiplies is not None or item.entry.section == 0]
    return full, None


def _without_a_tail(
    items: Sequence[Item], totals: Sequence[Decimal]
) -> tuple[int, Decimal | None]:
    """The most rows that sum up. Only what does not multiply may be left out at the end."""
    least = max((at for at, item in enumerate(items, 1) if item.multiplies), default=1)
    best: tuple[int, Decimal | None] = (0, None)
    value = Decimal(0)
    for count, item in enumerate(items[:-1], 1):
        value += item.amount or 0
        if count >= least and item.amount is not None:
            total = _near(value, count, totals)
            best = best if total is None else (count, total)
    return best


def summed(items: Sequence[Item], totals: Sequence[Decimal]) -> Decimal | None:
    amounts = [item.amount for item in items if item.amount is not None]
    if not amounts:
        return None
    return _near(sum(amounts, Decimal(0)), len(amounts), totals)


def _near(value: Decimal, count: int, totals: Iterable[Decimal]) -> Decimal | None:
    slack = max(CENT, HALF * CENT * count)
    return next((one for one in totals if abs(abs(one) - abs(value)) <= slack), None)
