"""Whether documents come to their end in the time that their class was promised."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.body import Priority

NAMES: Mapping[int, str] = {priority.value: priority.name.lower() for priority in Priority}


@dataclass(frozen=True, slots=True)
class Terms:
    """What was promised: of the documents of a window, such a share within the class's time."""

    targets_s: Mapping[int, float] = field(
        default_factory=lambda: {1: 3600.0, 3: 300.0, 4: 120.0, 5: 60.0}
    )
    ratio_min: float = 0.99
    window_s: float = 86_400.0
    # Of a few, one that is late says nothing.
    documents_min: int = 20


TERMS = Terms()


@dataclass(frozen=True, slots=True)
class Measured:
    priority: int
    # Whose time is over.
    due: int
    late: int
    # Late, and told to wait for a provider meanwhile.
    excused: int


@dataclass(frozen=True, slots=True)
class Level:
    name: str
    target_s: float
    due: int
    late: int
    excused: int
    ratio_min: float
    # With those that waited for a provider, and without them: both are told.
    ratio_of_all: float
    ratio: float
    is_breached: bool

    def told(self) -> dict[str, Any]:
        return {
            "target_s": self.target_s,
            "due": self.due,
            "late": self.late,
            "excused": self.excused,
            "ratio_min": self.ratio_min,
            "ratio_of_all": self.ratio_of_all,
            "ratio": self.ratio,
            "is_breached": self.is_breached,
        }


def level_of(measured: Measured, terms: Terms) -> Level:
    counted = measured.due - measured.excused
    late = measured.late - measured.excused
    ratio = _share(counted - late, counted)
    return Level(
        name=NAMES[measured.priority],
        target_s=terms.targets_s[measured.priority],
        due=measured.due,
        late=measured.late,
        excused=measured.excused,
        ratio_min=terms.ratio_min,
        ratio_of_all=_share(measured.due - measured.late, measured.due),
        ratio=ratio,
        is_breached=counted >= terms.documents_min and ratio < terms.ratio_min,
    )


def _share(part: int, of: int) -> float:
    return round(part / of, 6) if of else 1.0
