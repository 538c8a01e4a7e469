"""What kinds of trouble an alert can be there for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from prometheus_client import Gauge

from tests.contract.works import Works

Act: TypeAlias = Callable[[Works], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Made:
    """Made in a service: again and again while it lasts, and mended once after. Where one is
    too many, it is made once."""

    service: str
    make: Act
    mend: Act
    # What the alert says beside its severity and owner.
    labels: Mapping[str, str] = field(default_factory=dict)
    once: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """The service does not run."""

    service: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Restarting:
    service: str
    times: int
    labels: Mapping[str, str] = field(default_factory=dict)


Trouble: TypeAlias = Made | Gone | Restarting


async def passes(_: Works) -> None:
    """What happened happens no more; the alert ends when nobody looks back to it."""


def number(service: str, gauge: Gauge, value: float, **labels: str) -> Made:
    """A number without a word that the alert goes by."""

    async def put(told: float, _: Works) -> None:
        gauge.set(told)

    return Made(service, partial(put, value), partial(put, 0), labels)
