"""Runs the parser's child for one document and turns every way it can end into an outcome.

A hostile file may crash it, blow it up or hold it for ever: the child is bounded from inside
(memory, processor time) and from outside (wall clock, size of its answer), and never outlives
the call, whether that returns, raises or is cancelled.
"""

import asyncio
import json
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.errors import Rejected, Retryable

CHILD = "services.extractor.adapters.parser_child"
# Where `shared` and `services` lie: the child is started there, because it has no PYTHONPATH.
ROOT = Path(__file__).resolve().parents[3]
ANSWER_BYTES_MAX = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    memory_bytes: int
    cpu_s: int
    wall_s: float
    pages: int
    chars: int
    # Each child wants a core of its own: more at once only makes all of them late.
    at_once: int


class Sandbox:
    def __init__(self, limits: SandboxLimits) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.at_once)

    async def parse(self, scan: bytes) -> dict[str, Any]:
        """The child's answer. Raises Rejected with its reason, or with how the child died."""
        async with self._slots:
            raw, exit_code = await self._run(scan)
        if exit_code != 0:
            raise _died_of(exit_code)
        answer = _understood(raw)
        if "rejected" in answer:
            raise Rejected(str(answer["rejected"]), str(answer.get("detail", ""))[:500])
        return answer

    async def _run(self, scan: bytes) -> tuple[bytes, int]:
        child = await self._start()
        try:
            async with asyncio.timeout(self._limits.wall_s):
                raw = await _converse(child, scan)
                return raw, await child.wait()
        except TimeoutError as error:
            raise Rejected("parser_timeout", f"over {self._limits.wall_s:g} s") from error
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()

    async def _start(self) -> asyncio.subprocess.Process:
        limits = self._limits
        numbers = (limits.memory_bytes, limits.cpu_s, limits.pages, limits.chars)
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *("-s", "-m", CHILD, *map(str, numbers)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=ROOT,
                # No secrets: the parent's environment holds the keys to everything.
                env={},
                # A Ctrl-C in the terminal is for us, who then end the child properly.
                start_new_session=True,
            )
        except OSError as error:
            raise Retryable(f"the parser could not be started: {error}") from error


async def _converse(child: asyncio.subprocess.Process, scan: bytes) -> bytes:
    """The child reads all before it answers, so writing first cannot dead-lock."""
    assert child.stdin is not None and child.stdout is not None  # noqa: S101 -- both are pipes
    try:
        child.stdin.write(scan)
        await child.stdin.drain()
        child.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        # It died while we were talking; its exit code says of what.
        return b""
    raw = bytearray()
    while chunk := await child.stdout.read(64 * 1024):
        raw += chunk
        if len(raw) > ANSWER_BYTES_MAX:
            raise Rejected("too_large", "the parser's answer has no end")
    return bytes(raw)


def _died_of(exit_code: int) -> Rejected:
    if exit_code == -signal.SIGXCPU:
        return Rejected("parser_timeout", "the parser used up its processor time")
    died = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
    return Rejected("parser_crashed", died)


def _understood(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except ValueError as error:
        raise Rejected("parser_crashed", "the answer is not JSON") from error
    if not isinstance(answer, dict):
        raise Rejected("parser_crashed", "the answer is not an object")
    return answer
