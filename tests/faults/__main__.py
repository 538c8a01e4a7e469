"""`python -m tests.faults > tests/FAULTS.md`: the page of faults, from the table beside it."""

from tests.faults import brokers, deaths, loads, providers, races, stores
from tests.faults.fault import Fault

CHAPTERS = {
    "Processes that die or freeze": deaths.FAULTS,
    "The broker": brokers.FAULTS,
    "The database and the object store": stores.FAULTS,
    "The provider of the model": providers.FAULTS,
    "Twice, at once, and in the wrong order": races.FAULTS,
    "Too much, too long, and by hand": loads.FAULTS,
}
FAULTS: tuple[Fault, ...] = tuple(one for some in CHAPTERS.values() for one in some)
NOT_COVERED = "not covered yet"
INTRODUCTION = """# Faults

What may go wrong, what is expected of Paperline then, and the tests that make it happen. This
page is written by `python -m tests.faults > tests/FAULTS.md` from the tables in
`tests/faults/`; a rule of the house sees to it that every test named here exists.
What nobody has tried says so.
"""


def page() -> str:
    covered = sum(bool(one.by) for one in FAULTS)
    partly = sum(bool(one.by and one.lacks) for one in FAULTS)
    parts = [
        INTRODUCTION,
        f"Of {len(FAULTS)} faults {covered} are tried, {partly} of them in part, and "
        f"{len(FAULTS) - covered} are {NOT_COVERED}.\n",
    ]
    for title, faults in CHAPTERS.items():
        parts += [f"## {title}\n", *(_told(one) for one in faults)]
    return "\n".join(parts)


def _told(fault: Fault) -> str:
    lines = [f"### {fault.name}: {fault.what}\n", f"{fault.expected}\n"]
    if not fault.by:
        return "\n".join([*lines, f"**{NOT_COVERED}**\n"])
    ids = [node_id for one in fault.by for node_id in one.node_ids]
    lines += [f"Level: {', '.join(fault.levels)}\n", *(f"- `{one}`" for one in ids)]
    lines += [f"\n**{NOT_COVERED}:** {fault.lacks}\n"] if fault.lacks else [""]
    return "\n".join(lines)


if __name__ == "__main__":
    # It ends with one newline, as every text here.
    print(page().rstrip())
