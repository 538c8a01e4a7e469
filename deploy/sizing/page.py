"""The tables of `SIZING.md`, written between its marks, so that they cannot grow old there."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from deploy.sizing import days
from deploy.sizing.figures import measured
from deploy.sizing.needs import Asked, Needs
from deploy.sizing.tables import by_load, markdown, measured_rows

FILE = Path(__file__).resolve().parents[1] / "SIZING.md"
LOADS = (1_000, 5_000, 30_000, 1_000_000)
_BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _measured() -> str:
    figures = measured()
    return markdown(("of one document", *figures.kinds), measured_rows(figures))


def _loads(*, with_model: bool) -> str:
    many = [Needs(Asked(one, with_model=with_model), measured()) for one in LOADS]
    head = ("", *(f"{one:,}/h" for one in LOADS))
    return markdown(head, by_load(many))


def _days() -> str:
    return markdown(days.HEAD, [days.row(one, one.run()) for one in days.scenes()])


BLOCKS: Mapping[str, Callable[[], str]] = {
    "measured": _measured,
    "offline": lambda: _loads(with_model=False),
    "model": lambda: _loads(with_model=True),
    "days": _days,
}


def written(text: str) -> str:
    """The page with every table made anew; one that nobody knows is an error."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}{BLOCKS[found[2]]()}\n{found[3]}"

    return _BLOCK.sub(block, text)
