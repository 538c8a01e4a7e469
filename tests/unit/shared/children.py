"""Children that do what a test tells them, as a hostile file might make them do."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from shared.observability.metrics import REGISTRY
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind, Pool
from shared.sandbox.worker import ROOT, Bounds

MEBIBYTE = 1 << 20
BOUNDS = Bounds(
    memory_bytes=1024 * MEBIBYTE,
    cpu_s=10,
    wall_s=30,
    answer_bytes_max=4 * MEBIBYTE,
    documents_max=100,
)
KIND = Kind("test", "hostile", BOUNDS, at_once=2, resident_bytes_max=10**9, idle_s=60)
PROGRAM = """
import os, signal, socket, subprocess, sys, threading, time
from pathlib import Path
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve

kept = []

def handle(asked):
    answer = eval(asked.parts[0].decode()) if asked.parts else None
    return Served({"pid": os.getpid(), "answer": repr(answer)}, asked.parts, pages=2)

def die():
    os.abort()

def spin():
    while True: pass

def hang():
    signal.pause()

def print_much():
    os.write(1, b"x" * 100)

def in_a_thread():
    told = []
    thread = threading.Thread(target=lambda: told.append("ran"))
    thread.start()
    thread.join()
    return told

def refused(call):
    try:
        call()
    except OSError as error:
        return type(error).__name__
    return "allowed"

def stop_after_the_answer():
    threading.Timer(0.05, lambda: os._exit(1)).start()

sys.exit(serve(handle, sys.argv[1:]))
"""


def folder_with(program: str, folder: Path) -> Path:
    (folder / "hostile.py").write_text(program)
    # As in a checkout: what we share lies beside it.
    (folder / "shared").symlink_to(ROOT / "shared")
    return folder


@asynccontextmanager
async def lending(folder: Path) -> AsyncIterator["Lend"]:
    root = folder_with(PROGRAM, folder)
    pools: list[Pool] = []

    def make(kind: Kind = KIND, **bounds: float) -> Pool:
        changed = replace(BOUNDS, **bounds)  # type: ignore[arg-type]  # one name at a time
        pools.append(Pool(replace(kind, bounds=changed), root=root))
        return pools[-1]

    try:
        yield make
    finally:
        for pool in pools:
            await pool.close()


Lend = Callable[..., Pool]


async def do(pool: Pool, what: str) -> str:
    return str((await pool.ask(Frame({}, (what.encode(),)))).said["answer"])


async def pid_of(pool: Pool) -> int:
    return int((await pool.ask(Frame({}))).said["pid"])


def ended(reason: str) -> float:
    labels = {"kind": "test", "reason": reason}
    return REGISTRY.get_sample_value("paperline_parsers_ended_total", labels) or 0.0


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()
