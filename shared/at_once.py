"""Several pieces of blocking work at once, and no stragglers."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def at_once(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Everything at once; an error only when nothing is left running behind it."""
    done: list[T] = []
    for one in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(one, BaseException):
            raise one
        done.append(one)
    return done
