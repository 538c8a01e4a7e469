"""What a collector hears of the relay: one span for each message, in the trace of its document.

The context that travels with a message is that of the commit that owed it, and stays so: it
stands in the row. So the relay's span lies beside the consumer's, below the same parent, and
shows how long the message waited for the broker to confirm it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from shared.bus.publisher import Outcome
from shared.ledger.rows import OutboxRow
from shared.observability import conventions as names
from shared.observability.tracing import Span, Value, is_recording, span

Told = Callable[[Sequence[Outcome]], None]


@contextmanager
def told_of(rows: Sequence[OutboxRow]) -> Iterator[Told]:
    """Inside they are published; what became of each is said to what this yields."""
    with ExitStack() as opened:
        spans = [opened.enter_context(_span(row)) for row in rows] if is_recording() else []

        def tell(outcomes: Sequence[Outcome]) -> None:
            for one, outcome in zip(spans, outcomes, strict=False):
                if outcome is not Outcome.CONFIRMED:
                    one.fail(outcome.value)

        yield tell


def _span(row: OutboxRow) -> AbstractContextManager[Span]:
    attributes: dict[str, Value] = {
        **names.PUBLISHING,
        names.DESTINATION: f"{row.exchange}:{row.routing_key}",
        names.ROUTING_KEY: row.routing_key,
        names.BODY_SIZE: len(row.body),
    }
    return span(
        f"publish {row.exchange}:{row.routing_key}",
        kind="producer",
        parent=row.headers.get("traceparent", ""),
        tracestate=row.headers.get("tracestate", ""),
        attributes=attributes,
    )
