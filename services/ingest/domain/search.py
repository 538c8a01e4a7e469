"""What a client looks for among its documents."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Wanted:
    """Nothing named means everything. `q` begins a vendor's name, a number or a file name."""

    status: str | None = None
    priority: int | None = None
    tag: str | None = None
    accepted_after: datetime | None = None
    accepted_before: datetime | None = None
    q: str | None = None
    engine: str | None = None

    @property
    def pattern(self) -> str | None:
        """`q` as a pattern in which only its end is open."""
        if not self.q:
            return None
        plain = self.q.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{plain}%"
