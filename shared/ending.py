"""Work that must not be cut in half, and work that has to end now: neither may take for ever.

A cancellation that breaks off a commit leaves nobody who knows whether it happened. So it is
held up until the work is over, though not for longer than such work may take: what hangs would
hold up a shutdown too.
"""

import asyncio
import logging
from collections.abc import Collection, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

# Each of the last calls of what was cancelled has a shorter limit of its own.
TIDY_UP_S = 5.0


async def to_its_end(work: Coroutine[Any, Any, T], *, within_s: float) -> T:
    """In a task of its own. Whoever is cancelled meanwhile, be it again and again, is so when
    it has ended; after so many seconds it is cancelled as well."""
    task = asyncio.get_running_loop().create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await _outlast({task}, within_s)
        await _end({task})
        raise


async def end_within(tasks: Collection["asyncio.Task[Any]"], seconds: float) -> None:
    """Let them finish, then cancel those that have not, and wait until they have tidied up."""
    late = set(tasks)
    if not late:
        return
    try:
        _, late = await asyncio.wait(late, timeout=seconds)
    finally:
        # Also when we are cut short ourselves: nobody else would end them.
        await _end(late)


async def _end(tasks: Collection["asyncio.Task[Any]"]) -> None:
    late = {one for one in tasks if not one.done()}
    for task in late:
        task.cancel()
    await _outlast(late, TIDY_UP_S)
    if left := sum(not one.done() for one in late):
        log.error("tasks_given_up", extra={"count": left})


async def _outlast(tasks: Collection["asyncio.Task[Any]"], seconds: float) -> None:
    """A cancellation of ours is raised when they have ended, or the time is over."""
    loop = asyncio.get_running_loop()
    ends_at, left, cut_off = loop.time() + seconds, set(tasks), None
    while left and (left_s := ends_at - loop.time()) > 0:
        try:
            _, left = await asyncio.wait(left, timeout=left_s)
        except asyncio.CancelledError as error:
            cut_off = error
            left = {one for one in left if not one.done()}
    if cut_off is not None:
        raise cut_off
