"""`python -m tests.threats > tests/THREATS.md`: the page of threats, from the tables here."""

from tests.faults.fault import Fault, told
from tests.threats import doors, files, insides, operations

CHAPTERS = {
    "Who may come in": doors.THREATS,
    "What is handed in, and what is made of it": files.THREATS,
    "What passes between the services": insides.THREATS,
    "What runs, and what is kept": operations.THREATS,
}
THREATS: tuple[Fault, ...] = tuple(one for some in CHAPTERS.values() for one in some)
INTRODUCTION = """# Threats

Who might want what, what keeps it off, and the tests that try to break that. This page is
written by `python -m tests.threats > tests/THREATS.md` from the tables in `tests/threats/`; a
rule of the house sees to it that every test named here exists. What nobody has tried says so.
"""


def page() -> str:
    tried = sum(bool(one.by) for one in THREATS)
    partly = sum(bool(one.by and one.lacks) for one in THREATS)
    parts = [
        INTRODUCTION,
        f"Of {len(THREATS)} threats {tried} are tried, {partly} of them in part.\n",
    ]
    for title, threats in CHAPTERS.items():
        parts += [f"## {title}\n", *(told(one) for one in threats)]
    return "\n".join(parts)


if __name__ == "__main__":
    # It ends with one newline, as every text here.
    print(page().rstrip())
