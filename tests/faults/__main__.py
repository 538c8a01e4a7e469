"""`python -m tests.faults > tests/FAULTS.md`: the page of faults, from the table beside it."""

from tests.faults import beyond, brokers, deaths, loads, providers, races, stores
from tests.faults.fault import NOT_COVERED, Fault, told

CHAPTERS = {
    "Processes that die or freeze": deaths.FAULTS,
    "The broker": brokers.FAULTS,
    "The database and the object store": stores.FAULTS,
    "The provider of the model": providers.FAULTS,
    "Twice, at once, and in the wrong order": races.FAULTS,
    "Too much, too long, and by hand": loads.FAULTS,
    "Beyond the list of the design": beyond.FAULTS,
}
FAULTS: tuple[Fault, ...] = tuple(one for some in CHAPTERS.values() for one in some)
INTRODUCTION = """# Faults

What may go wrong, what is expected of Paperline then, and the tests that make it happen. This
page is written by `python -m tests.faults > tests/FAULTS.md` from the tables in
`tests/faults/`; a rule of the house sees to it that every test named here exists.
Behind each stands when it runs: every day (`./paperline test`), with `--all`, or by its name
only. What nobody has tried says so.
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
        parts += [f"## {title}\n", *(told(one) for one in faults)]
    return "\n".join(parts)


if __name__ == "__main__":
    # It ends with one newline, as every text here.
    print(page().rstrip())
