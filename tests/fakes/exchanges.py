"""How a broker routes, in pure Python: enough of it to prove where a planned message ends.

Only the plan is asked; a binding that is missing there is missing here.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from shared.topology.plan import Binding, Exchange, Plan, Queue


class Exchanges:
    def __init__(self, plan: Plan) -> None:
        self.queues: dict[str, Queue] = {queue.name: queue for queue in plan.queues}
        self._exchanges: dict[str, Exchange] = {one.name: one for one in plan.exchanges}
        self._bindings: dict[str, list[Binding]] = defaultdict(list)
        for binding in plan.bindings:
            self._bindings[binding.source].append(binding)

    def route(self, exchange: str, routing_key: str) -> list[str]:
        """The queues a message lands in: each once, as the broker does it."""
        return sorted(set(self._reached(self._exchanges[exchange], routing_key)))

    def _reached(self, exchange: Exchange, key: str) -> Iterator[str]:
        matching = [one for one in self._bindings[exchange.name] if _takes(exchange, one, key)]
        for binding in matching:
            if binding.to_exchange:
                yield from self._reached(self._exchanges[binding.destination], key)
            else:
                yield binding.destination
        alternate = exchange.arguments.get("alternate-exchange")
        if not matching and alternate is not None:
            yield from self._reached(self._exchanges[str(alternate)], key)


def _takes(exchange: Exchange, binding: Binding, key: str) -> bool:
    if exchange.kind == "fanout":
        return True
    if exchange.kind == "direct":
        return binding.routing_key == key
    return topic_matches(binding.routing_key, key)


def topic_matches(pattern: str, key: str) -> bool:
    """`*` stands for exactly one word, `#` for any number of them, none included."""
    return _matches(tuple(pattern.split(".")), tuple(key.split(".")) if key else ())


@lru_cache(maxsize=100_000)
def _matches(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    if not pattern:
        return not words
    head, rest = pattern[0], pattern[1:]
    if head == "#":
        return any(_matches(rest, words[at:]) for at in range(len(words) + 1))
    return bool(words) and head in ("*", words[0]) and _matches(rest, words[1:])
