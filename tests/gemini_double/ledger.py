"""What the double was asked: how often, for which content, when and how many at once.

It never holds a document or a key: only digests, and what a test has to see of the request.
"""

import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

CALLS_MAX = 20_000


@dataclass(slots=True)
class Call:
    at: float
    model: str
    sha256: str
    media_types: tuple[str, ...]
    mode: str
    # What was asked beside the document: text parts, the instruction and the configuration
    # without the schema.
    asked: tuple[str, ...]
    instruction: str
    config: Mapping[str, Any]
    # None as long as nothing was answered.
    status: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Ledger:
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=CALLS_MAX))
    by_content: Counter[str] = field(default_factory=Counter)
    # Answers with which whoever asked had what he wanted: those that cost money once.
    answered: Counter[str] = field(default_factory=Counter)
    by_mode: Counter[str] = field(default_factory=Counter)
    # By content, when each call began, whether it was answered well, and when it was over.
    moments: dict[str, list[tuple[float, bool, float]]] = field(default_factory=dict)
    # Since when all this has been counted.
    since: float = field(default_factory=time.time)
    count: int = 0
    in_flight: int = 0
    in_flight_max: int = 0
    connections: int = 0
    # With a wrong key or none.
    unauthorized: int = 0

    def begin(self, call: Call) -> None:
        self.calls.append(call)
        self.by_content[call.sha256] += 1
        self.by_mode[call.mode] += 1
        self.count += 1
        self.in_flight += 1
        self.in_flight_max = max(self.in_flight_max, self.in_flight)

    def end(self, call: Call, at: float, status: int | None) -> None:
        self.in_flight -= 1
        call.status, call.seconds = status, round(at - call.at, 4)
        is_well = (call.mode, status) == ("ok", 200)
        if is_well:
            self.answered[call.sha256] += 1
        self.moments.setdefault(call.sha256, []).append((call.at, is_well, at))

    def forget(self) -> None:
        self.calls.clear()
        self.by_content.clear()
        self.answered.clear()
        self.by_mode.clear()
        self.moments.clear()
        self.since = time.time()
        self.count = self.connections = self.unauthorized = 0
        self.in_flight_max = self.in_flight

    def told(self, last: int = 100) -> dict[str, Any]:
        return {
            "count": self.count,
            "in_flight": self.in_flight,
            "in_flight_max": self.in_flight_max,
            "connections": self.connections,
            "unauthorized": self.unauthorized,
            "by_content": dict(self.by_content),
            "answered": dict(self.answered),
            "by_mode": dict(self.by_mode),
            "moments": {one: sorted(calls) for one, calls in self.moments.items()},
            "since": self.since,
            "calls": [asdict(call) for call in list(self.calls)[-last:]],
        }
