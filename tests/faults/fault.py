"""One fault: what happens, what must come of it, and where that is tried."""

from dataclasses import dataclass, field


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
