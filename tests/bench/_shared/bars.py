"""Figures as a picture (SVG): one bar for each row, cut into its parts, longest at the bottom.

Drawn by hand, since no library for it is worth its weight here; shown by any browser.
"""

from collections.abc import Mapping
from html import escape

from tests.bench._shared.report import folder, say

WIDTH, MARGIN, NAME_WIDTH, VALUE_WIDTH = 900, 20, 250, 110
ROW, BAR, HEAD = 34, 22, 64
TONES = 7
# From here on a figure is told without its tenths.
WHOLE_FROM = 100
STYLE = """
  .ground { fill: #fff; } text { fill: #1b2330; font: 13px system-ui, sans-serif; }
  .head { font-weight: 700; font-size: 15px; } .value { text-anchor: end; }
  .tone0 { fill: #1f5fbf; } .tone1 { fill: #2c7a3f; } .tone2 { fill: #a03c00; }
  .tone3 { fill: #6b4fa0; } .tone4 { fill: #0c7c84; } .tone5 { fill: #9a7400; }
  .tone6 { fill: #8a94a6; }
  @media (prefers-color-scheme: dark) { .ground { fill: #12161c; } text { fill: #e8ecf2; } }
"""


def draw(name: str, title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """Beside the file for machines. By row its parts, in the unit behind each sum."""
    file = folder() / f"{name}.svg"
    file.write_text(bars(title, unit, rows))
    say(f"\nthe picture: {file}\n")


def bars(title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    kinds = list(dict.fromkeys(kind for parts in rows.values() for kind in parts))
    tone = {kind: number % TONES for number, kind in enumerate(kinds)}
    longest = max((sum(parts.values()) for parts in rows.values()), default=0.0) or 1.0
    room = WIDTH - 2 * MARGIN - NAME_WIDTH - VALUE_WIDTH
    ordered = sorted(rows.items(), key=lambda one: sum(one[1].values()))
    lines = []
    for number, (name, parts) in enumerate(ordered):
        top = HEAD + number * ROW
        lines.append(f'<text x="{MARGIN}" y="{top + 16}">{escape(name)}</text>')
        left = float(MARGIN + NAME_WIDTH)
        for kind, value in parts.items():
            width = max(0.0, value) / longest * room
            lines.append(
                f'<rect class="tone{tone[kind]}" x="{left:.1f}" y="{top}" '
                f'width="{width:.1f}" height="{BAR}"><title>{escape(kind)}: {_told(value)} '
                f"{escape(unit)}</title></rect>"
            )
            left += width
        told = f"{_told(sum(parts.values()))} {unit}"
        lines.append(
            f'<text class="value" x="{WIDTH - MARGIN}" y="{top + 16}">{escape(told)}</text>'
        )
    height = HEAD + len(rows) * ROW + MARGIN
    body = "\n".join([*_legend(kinds, tone), *lines])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="title">\n<title id="title">{escape(title)}</title>\n'
        f'<style>{STYLE}</style>\n<rect class="ground" width="{WIDTH}" height="{height}"/>\n'
        f'<text class="head" x="{MARGIN}" y="26">{escape(title)}</text>\n{body}\n</svg>\n'
    )


def _told(value: float) -> str:
    return f"{value:,.1f}" if 0 < value < WHOLE_FROM else f"{value:,.0f}"


def _legend(kinds: list[str], tone: Mapping[str, int]) -> list[str]:
    step = (WIDTH - 2 * MARGIN) // max(1, len(kinds))
    return [
        f'<rect class="tone{tone[kind]}" x="{MARGIN + number * step}" y="38" width="12" '
        f'height="12"/><text x="{MARGIN + number * step + 18}" y="49">{escape(kind)}</text>'
        for number, kind in enumerate(kinds)
    ]
