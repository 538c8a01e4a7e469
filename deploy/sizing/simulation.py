"""The way of documents through the pipeline, event by event, as the house is built.

Urgent documents go to the broker at once; others wait in the database until the window has a
place, and give it back when they have been read. A slot of a replica holds a document for its
processor time, on the replica's own cores, and for the provider's answer. Whom the provider's
rate makes wait for more than a moment comes back by the delay ladder, and its slot takes
another. Storing is a last stage of its own. Deterministic for a seed.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from deploy.sizing.arrivals import Arrival
from deploy.sizing.provider import Provider, Rate
from deploy.sizing.scaling import SAMPLE_S, Autoscaler, Scaling, seconds_to_empty
from deploy.sizing.waits import Day, Ended, Moment

# A slot does not sleep for longer than this (`CallTerms.nap_s_max` of the extractor).
NAP_S_MAX = 1.0
# A document that comes back again and again comes back ever later (`shared/bus/decision.py`).
LATER, LATER_S_MAX = 1.5, 30.0
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class House:
    provider: Provider
    readers: Scaling
    slots: int = 8
    cores: int = 2
    # Places at the broker; None is as many as there are documents.
    window: int | None = None
    # Of the stages behind the readers together: seconds of a document, and how many at once.
    store_s: float = 0.0
    store_at_once: int = 1


@dataclass(slots=True)
class _Document:
    arrival: Arrival
    begun_s: float | None = None
    has_computed: bool = False
    sent_back: int = 0


@dataclass(slots=True)
class _Replica:
    slots: int
    # When each of its cores is free.
    cores: list[float]
    taken: int = 0
    leaves: bool = False


@dataclass(slots=True)
class _Sample:
    """What the broker has counted so far."""

    published: int = 0
    taken: int = 0


class Simulation:
    def __init__(self, house: House, arrivals: Iterable[Arrival], *, seed: int = 1) -> None:
        self._house = house
        self._coming = iter(arrivals)
        self._all_came = False
        # Of its own: with the dice of the arrivals, whoever comes late would also be slow.
        self._dice = random.Random(f"service {seed}")  # noqa: S311 -- a day can be repeated
        self._day = Day()
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = self._open = self._places = 0
        self._waiting: deque[_Document] = deque()
        self._queues: tuple[deque[_Document], deque[_Document]] = (deque(), deque())
        self._rate = Rate(house.provider.calls_per_s)
        self._replicas: list[_Replica] = []
        self._asked_for = house.readers.replicas_min
        self._scaler = Autoscaler(house.readers)
        self._count = _Sample()
        self._samples = deque([_Sample(), _Sample()], maxlen=2)
        self._stores = [0.0] * house.store_at_once

    def run(self) -> Day:
        """Until the last document has ended."""
        for _ in range(self._asked_for):
            self._join()
        self._next_arrival()
        self._look()
        if self._house.readers.replicas_max > self._house.readers.replicas_min:
            self._sample()
            self._at(self._house.readers.every_s, self._scale)
        while self._open or not self._all_came:
            self._now, _, happen = heapq.heappop(self._events)
            happen()
        return self._day

    def _at(self, when_s: float, happen: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (when_s, self._number, happen))

    # Coming in

    def _next_arrival(self) -> None:
        arrival = next(self._coming, None)
        if arrival is None:
            self._all_came = True
            return
        self._at(arrival.at_s, lambda: self._arrive(arrival))

    def _arrive(self, arrival: Arrival) -> None:
        self._open += 1
        document = _Document(arrival)
        if arrival.is_urgent:
            self._publish(document)
        else:
            self._waiting.append(document)
        self._release()
        self._next_arrival()

    def _release(self) -> None:
        window = self._house.window
        while self._waiting and (window is None or self._places < window):
            self._publish(self._waiting.popleft())
        self._dispatch()

    def _publish(self, document: _Document) -> None:
        self._places += 1
        self._enqueue(document)

    def _enqueue(self, document: _Document) -> None:
        self._count.published += 1
        self._queues[not document.arrival.is_urgent].append(document)

    # Reading

    def _dispatch(self) -> None:
        urgent, normal = self._queues
        while (urgent or normal) and (replica := self._freest()) is not None:
            document = (urgent or normal).popleft()
            replica.taken += 1
            self._count.taken += 1
            if document.begun_s is None:
                document.begun_s = self._now
            self._compute(document, replica)

    def _freest(self) -> _Replica | None:
        """A broker serves consumers in turn; with equal ones that is the one with most room."""
        free = [one for one in self._replicas if one.taken < one.slots and not one.leaves]
        return min(free, key=lambda one: one.taken, default=None)

    def _compute(self, document: _Document, replica: _Replica) -> None:
        cpu_s = document.arrival.kind.cpu_s
        if document.has_computed or not cpu_s:
            self._ask(document, replica)
            return
        document.has_computed = True
        done_s = max(self._now, replica.cores[0]) + cpu_s
        heapq.heapreplace(replica.cores, done_s)
        self._at(done_s, lambda: self._ask(document, replica))

    def _ask(self, document: _Document, replica: _Replica, slept_s: float = 0.0) -> None:
        if not document.arrival.kind.asks:
            self._read(document, replica)
            return
        wait_s = self._rate.take(self._now)
        if not wait_s:
            self._day.calls += 1
            answered_s = self._now + self._house.provider.latency.draw(self._dice)
            self._at(answered_s, lambda: self._read(document, replica))
        elif slept_s + wait_s <= NAP_S_MAX:
            slept_s += wait_s
            self._at(self._now + wait_s, lambda: self._ask(document, replica, slept_s))
        else:
            self._send_back(document, replica, wait_s)

    def _send_back(self, document: _Document, replica: _Replica, wait_s: float) -> None:
        self._day.sent_back += 1
        replica.taken -= 1
        later_s = min(LATER_S_MAX, wait_s * LATER**document.sent_back)
        document.sent_back += 1
        back_s = self._now + later_s * (1 + 0.1 * self._dice.random())
        self._at(back_s, lambda: self._come_back(document))
        self._dispatch()

    def _come_back(self, document: _Document) -> None:
        self._enqueue(document)
        self._dispatch()

    def _read(self, document: _Document, replica: _Replica) -> None:
        replica.taken -= 1
        self._places -= 1
        stored_s = max(self._now, self._stores[0]) + self._house.store_s
        heapq.heapreplace(self._stores, stored_s)
        self._at(stored_s, lambda: self._end(document))
        self._release()

    def _end(self, document: _Document) -> None:
        self._open -= 1
        arrival, begun_s = document.arrival, document.begun_s
        assert begun_s is not None  # noqa: S101 -- it has been read
        self._day.ended.append(Ended(arrival.at_s, begun_s, self._now, arrival.is_urgent))

    # Replicas

    def _join(self) -> None:
        self._replicas.append(_Replica(self._house.slots, [0.0] * self._house.cores))

    def _start_one(self) -> None:
        if len([one for one in self._replicas if not one.leaves]) < self._asked_for:
            self._join()
            self._dispatch()

    def _sample(self) -> None:
        self._samples.append(_Sample(self._count.published, self._count.taken))
        self._at(self._now + SAMPLE_S, self._sample)

    def _scale(self) -> None:
        before, after = self._samples
        ready = [one for one in self._replicas if not one.leaves]
        in_hand = 0 if self._house.readers.waiting_only else self._busy()
        seconds = seconds_to_empty(
            sum(map(len, self._queues)) + in_hand,
            (after.published - before.published) / SAMPLE_S,
            (after.taken - before.taken) / SAMPLE_S,
        )
        wanted = self._scaler.replicas(self._now, self._asked_for, len(ready), seconds)
        for _ in range(wanted - self._asked_for):
            self._at(self._now + self._house.readers.start_s, self._start_one)
        self._asked_for = wanted
        # What it has in hand is finished; whoever leaves takes nothing more.
        for one in ready[wanted:]:
            one.leaves = True
        self._replicas = [one for one in self._replicas if one.taken or not one.leaves]
        self._at(self._now + self._house.readers.every_s, self._scale)

    def _look(self) -> None:
        backlog = len(self._waiting) + sum(map(len, self._queues))
        moment = Moment(self._now, backlog, len(self._replicas), self._busy())
        self._day.moments.append(moment)
        self._at(self._now + MINUTE_S, self._look)

    def _busy(self) -> int:
        return sum(one.taken for one in self._replicas)
