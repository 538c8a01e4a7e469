"""All that the other tests left behind is judged, once, when the last of them is over.

What one of them breaks on purpose it says itself, with `stack.history.excuse(…)`: nothing is
left out here by guessing.
"""

import pytest

from tests.system.collector import Collector
from tests.system.stack import Stack
from tests.system.verdict import require_promises_kept, require_rest


@pytest.mark.slow
async def test_every_promise_was_kept(stack: Stack, collector: Collector) -> None:
    await stack.up()
    await require_rest(stack)

    await require_promises_kept(stack)

    # What must stand in no log must stand in no trace either.
    assert collector.said == set()
