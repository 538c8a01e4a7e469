"""One fault: what happens, what must come of it, and where that is tried."""

from dataclasses import dataclass, field

from tests.faults.running import runs

NOT_COVERED = "not covered yet"


@dataclass(frozen=True, slots=True)
class Tried:
    """Tests of one file below `tests/`."""

    file: str
    tests: tuple[str, ...]

    @property
    def level(self) -> str:
        return self.file.partition("/")[0]

    @property
    def node_ids(self) -> list[str]:
        return [f"tests/{self.file}::{one}" for one in self.tests]


def tried(file: str, *tests: str) -> Tried:
    return Tried(file, tests)


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    what: str
    expected: str
    by: tuple[Tried, ...] = field(default=())
    # What of it nobody has tried yet.
    lacks: str = ""

    @property
    def levels(self) -> list[str]:
        return sorted({one.level for one in self.by})


def told(fault: Fault) -> str:
    """As its page has it."""
    lines = [f"### {fault.name}: {fault.what}\n", f"{fault.expected}\n"]
    if not fault.by:
        return "\n".join([*lines, f"**{NOT_COVERED}**\n"])
    ids = [node_id for one in fault.by for node_id in one.node_ids]
    lines += [f"Level: {', '.join(fault.levels)}\n"]
    lines += [f"- `{one}`: {runs(one)}" for one in ids]
    lines += [f"\n**{NOT_COVERED}:** {fault.lacks}\n"] if fault.lacks else [""]
    return "\n".join(lines)
