"""One child process, as its parent holds it: started, asked, and certainly ended.

A hostile file may crash it, blow it up or hold it for ever. It is bounded from inside (memory,
processor time) and from outside (wall clock, size of its answer), and every way in which it
can fail is an `Ended` with the outcome for the document and a word for the metric.
"""

import asyncio
import contextlib
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from shared.errors import Rejected, Retryable
from shared.sandbox.frames import Frame, Malformed, Oversized, packed, received

# Where `shared` and `services` lie: the child is started there, because it has no PYTHONPATH.
ROOT = Path(__file__).resolve().parents[2]
PIECE_BYTES = 64 * 1024
START_S = 30.0
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one document; the last two of a child's whole life."""

    memory_bytes: int
    cpu_s: int
    wall_s: float
    answer_bytes_max: int
    documents_max: int = 1
    pages_max: int = 10_000


class Ended(Exception):
    """It has answered for the last time. `why` is from a closed set: crashed, out_of_memory,
    timeout, answer."""

    def __init__(self, why: str, outcome: Rejected) -> None:
        super().__init__(str(outcome))
        self.why = why
        self.outcome = outcome

    @property
    def may_be_the_child(self) -> bool:
        """What earlier documents left behind can crash it or fill it up, but not be slow."""
        return self.why in ("crashed", "out_of_memory")


class Worker:
    def __init__(self, process: asyncio.subprocess.Process, bounds: Bounds) -> None:
        self._process = process
        self._bounds = bounds
        self.documents = 0
        self.pages = 0
        # By the loop's clock; since then it has had nothing to do.
        self.idle_since = 0.0

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, asked: Frame, *, wall_s: float | None = None) -> Frame:
        """Raises Ended. Cancelled in between, it is good for nothing but `end`."""
        self.documents += 1
        limit_s = self._bounds.wall_s if wall_s is None else wall_s
        try:
            async with asyncio.timeout(limit_s):
                answer = await self._conversed(asked)
        except TimeoutError as error:
            outcome = Rejected("parser_timeout", f"over {limit_s:g} s")
            raise Ended("timeout", outcome) from error
        except Oversized as error:
            outcome = Rejected("too_large", "the parser's answer has no end")
            raise Ended("answer", outcome) from error
        except Malformed as error:
            raise Ended("crashed", Rejected("parser_crashed", "no answer")) from error
        if "out_of_memory" in answer.said:
            outcome = Rejected("too_large", "the parser ran out of memory")
            raise Ended("out_of_memory", outcome)
        return self._counted(answer)

    async def is_ready(self) -> bool:
        """It has cleaned up behind the last document. False when it died of that."""
        try:
            async with asyncio.timeout(START_S):
                said = (await self._received()).said
        except (TimeoutError, EOFError, ConnectionError, Malformed, Oversized):
            return False
        return said.get("ready") is True

    def spent(self, resident_bytes_max: int) -> str | None:
        """Why it should not serve another, if so."""
        if self.documents >= self._bounds.documents_max:
            return "documents"
        if self.pages >= self._bounds.pages_max:
            return "pages"
        return "memory" if _resident_bytes(self.pid) > resident_bytes_max else None

    async def end(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                # It leads a session of its own: so whatever it may have started goes as well.
                os.killpg(self.pid, signal.SIGKILL)
            await self._ended()
        assert self._process.stdin is not None  # noqa: S101 -- it was asked for
        self._process.stdin.close()

    async def _conversed(self, asked: Frame) -> Frame:
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 -- it was asked for
        try:
            # It reads all of a request before it answers, so writing first cannot dead-lock.
            for piece in packed(asked):
                stdin.write(piece)
                await stdin.drain()
            return await self._received()
        except (EOFError, ConnectionError) as error:
            raise _died_of(await self._ended()) from error

    async def _ended(self) -> int:
        """Its exit code. A pipe with an answer that nobody reads is never seen to be closed,
        and without that the wait for its process has no end."""
        assert self._process.stdout is not None  # noqa: S101 -- it was asked for
        with contextlib.suppress(ConnectionError):
            while await self._process.stdout.read(PIECE_BYTES):
                pass
        return await self._process.wait()

    async def _received(self) -> Frame:
        assert self._process.stdout is not None  # noqa: S101 -- it was asked for
        return await received(self._process.stdout, bytes_max=self._bounds.answer_bytes_max)

    def _counted(self, answer: Frame) -> Frame:
        said, pages = answer.said.get("answer"), answer.said.get("pages")
        if not isinstance(said, dict) or not isinstance(pages, int):
            outcome = Rejected("parser_crashed", "the answer has another shape")
            raise Ended("crashed", outcome)
        self.pages += max(0, pages)
        return Frame(said, answer.parts)


async def started(module: str, bounds: Bounds, root: Path = ROOT) -> Worker:
    """Ready for its first document."""
    life_cpu_s = (bounds.documents_max + 1) * (bounds.cpu_s + 1)
    numbers = (bounds.memory_bytes, bounds.cpu_s, life_cpu_s)
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-s", "-B", "-m", module, *map(str, numbers)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=root,
            # No secrets: the parent's environment holds the keys to everything.
            env={},
            # A Ctrl-C in the terminal is for us, who then end the child properly.
            start_new_session=True,
        )
    except OSError as error:
        raise Retryable(f"the parser could not be started: {error}") from error
    worker = Worker(process, bounds)
    ready = False
    try:
        ready = await worker.is_ready()
    finally:
        if not ready:
            await worker.end()
    if not ready:
        raise Retryable("the parser could not be started: it ended at once")
    return worker


def _died_of(exit_code: int) -> Ended:
    if exit_code == -signal.SIGXCPU:
        outcome = Rejected("parser_timeout", "the parser used up its processor time")
        return Ended("timeout", outcome)
    died = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    return Ended("crashed", Rejected("parser_crashed", died))


def _resident_bytes(pid: int) -> int:
    """Asked of the kernel, since the child might lie. 0 where the kernel does not say."""
    try:
        descriptor = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
    except OSError:
        return 0
    try:
        return int(os.read(descriptor, PIECE_BYTES).split()[1]) * PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0
    finally:
        os.close(descriptor)
