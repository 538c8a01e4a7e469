"""Long documents are thought about beside the loop, a few at a time.

What two readers agree on, what the rules say and how sure that is takes milliseconds for an
invoice and seconds for a book; on the loop, every other document would stand still for it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Of their own: the loop's threads are for those who wait for a disk, not for a processor.
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="long-document")


async def thought_about(
    is_long: bool, work: Callable[P, T], *args: P.args, **named: P.kwargs
) -> T:
    """At once when it is short: a thread costs more than that."""
    if not is_long:
        return work(*args, **named)
    apart = partial(copy_context().run, work, *args, **named)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, apart)
