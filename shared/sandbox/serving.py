"""The child's side: one request after the other, until the parent hangs up.

Whatever a file does to a library, only this process dies of it. It says when it is ready for
the next, after it has cleaned up behind the last: so a death in between is no document's fault.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from shared.sandbox.chains import allow, confine, die_with_the_parent
from shared.sandbox.frames import Frame, packed, taken
from shared.sandbox.syscalls import forbid

# Behind each document all of it is looked through, so that hardly anything need be before.
GARBAGE_AFTER = 50_000
READY = Frame({"ready": True})
OUT_OF_MEMORY = Frame({"out_of_memory": True})


@dataclass(frozen=True, slots=True)
class Served:
    said: dict[str, Any]
    parts: tuple[bytes, ...] = ()
    # What a child has been through: after so many it is replaced.
    pages: int = 0


Serve = Callable[[Frame], Served]


def serve(
    handle: Serve, arguments: list[str], *, load: Callable[[], object] = lambda: None
) -> int:
    """`load` brings in, in chains, what the first document would otherwise have to wait for."""
    memory_bytes, cpu_s, life_cpu_s = map(int, arguments)
    die_with_the_parent()
    requests, answers = _pipes()
    confine(memory_bytes=memory_bytes, life_cpu_s=life_cpu_s)
    forbid()
    load()
    # What is loaded stays: looking through it behind each document would cost milliseconds.
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
    _send(answers, READY)
    while (asked := taken(requests)) is not None:
        allow(cpu_s)
        _send(answers, _answered(handle, asked))
        del asked
        _clean_up()
        _send(answers, READY)
    return 0


def _answered(handle: Serve, asked: Frame) -> Frame:
    try:
        served = handle(asked)
        return Frame({"answer": served.said, "pages": served.pages}, served.parts)
    except MemoryError:
        return OUT_OF_MEMORY


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Ours alone: what a library prints must not be taken for an answer."""
    pipes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return pipes


def _send(pipe: BinaryIO, frame: Frame) -> None:
    for piece in packed(frame):
        pipe.write(piece)
    pipe.flush()


def _clean_up() -> None:
    gc.collect()
    if _TRIM is not None:
        # What one large document took would count against the next, and as too much memory.
        _TRIM(0)


_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
