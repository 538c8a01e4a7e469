"""What a case of an alert is: series with which it fires, and those with which it does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Series = Sequence[str]


@dataclass(frozen=True, slots=True)
class Case:
    fires: Series
    # Each of these alone: nothing may fire.
    quiet: Sequence[Series]
    at: str = "70m"
    # What the alert says beside its severity and owner.
    labels: Mapping[str, str] = field(default_factory=dict)


def gauge(name: str, limit: float, *, labels: Mapping[str, str] | None = None) -> Case:
    """One that fires above a limit, and not at it."""
    told = ", ".join(f'{key}="{value}"' for key, value in (labels or {}).items())
    series = f"paperline_{name}{{{told}}}"
    return Case([f"{series} {limit + 1}x80"], [[f"{series} {limit}x80"]], labels=labels or {})
