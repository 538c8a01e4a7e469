"""Runs a program for one file and turns every way it can end into an outcome.

A hostile file may crash it, blow it up or hold it for ever: the child is bounded from inside
(memory, processor time) and from outside (wall clock, size of its answer), and never outlives
the call, whether that returns, raises or is cancelled.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.errors import Rejected, Retryable

# Where `shared` and `services` lie: the child is started there, because it has no PYTHONPATH.
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Bounds:
    memory_bytes: int
    cpu_s: int
    wall_s: float
    answer_bytes_max: int
    # Each child wants a core of its own: more at once only makes all of them late.
    at_once: int


class Child:
    """A module that reads all of its standard input before it answers on standard output.

    Its first two arguments are its bounds of memory and processor time, for `confine`.
    """

    def __init__(self, module: str, bounds: Bounds, *, root: Path = ROOT) -> None:
        self._module = module
        self._bounds = bounds
        self._root = root
        self._slots = asyncio.Semaphore(bounds.at_once)

    async def ask(self, given: bytes, arguments: Sequence[int] = ()) -> bytes:
        """Its answer. Raises Rejected with how it died."""
        async with self._slots:
            raw, exit_code = await self._run(given, arguments)
        if exit_code != 0:
            raise _died_of(exit_code)
        return raw

    async def _run(self, given: bytes, arguments: Sequence[int]) -> tuple[bytes, int]:
        child = await self._start(arguments)
        try:
            async with asyncio.timeout(self._bounds.wall_s):
                raw = await self._converse(child, given)
                return raw, await child.wait()
        except TimeoutError as error:
            raise Rejected("parser_timeout", f"over {self._bounds.wall_s:g} s") from error
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()

    async def _start(self, arguments: Sequence[int]) -> asyncio.subprocess.Process:
        numbers = (self._bounds.memory_bytes, self._bounds.cpu_s, *arguments)
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *("-s", "-m", self._module, *map(str, numbers)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=self._root,
                # No secrets: the parent's environment holds the keys to everything.
                env={},
                # A Ctrl-C in the terminal is for us, who then end the child properly.
                start_new_session=True,
            )
        except OSError as error:
            raise Retryable(f"the parser could not be started: {error}") from error

    async def _converse(self, child: asyncio.subprocess.Process, given: bytes) -> bytes:
        """The child reads all before it answers, so writing first cannot dead-lock."""
        assert child.stdin is not None and child.stdout is not None  # noqa: S101 -- both are pipes
        try:
            child.stdin.write(given)
            await child.stdin.drain()
            child.stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            # It died while we were talking; its exit code says of what.
            return b""
        raw = bytearray()
        while chunk := await child.stdout.read(64 * 1024):
            raw += chunk
            if len(raw) > self._bounds.answer_bytes_max:
                raise Rejected("too_large", "the parser's answer has no end")
        return bytes(raw)


def _died_of(exit_code: int) -> Rejected:
    if exit_code == -signal.SIGXCPU:
        return Rejected("parser_timeout", "the parser used up its processor time")
    died = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    return Rejected("parser_crashed", died)
