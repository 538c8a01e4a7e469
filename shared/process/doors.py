"""The doors of a service: `python -m services.<name> serve | work | migrate | check | all`.

One image, several doors, so that what is migrated, checked and run is the same code. A
process with wrong settings says so completely and at once, in sentences, and leaves with an
exit code of its own: restarting it would cure nothing.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from shared import failpoints
from shared.blobs.room import keep_measuring_room
from shared.configuration.marks import ConfigurationError
from shared.errors import Retryable
from shared.observability import metrics
from shared.observability.exposition import start_at_zero
from shared.observability.logging import configure_logging
from shared.observability.tracing import configure_tracing, shutdown_tracing
from shared.process.drain import Lifetime
from shared.process.posture import UnsafePosture, describe, unsafe
from shared.process.probes import heartbeat
from shared.process.settings import ENV_PREFIX, ProcessSettings

new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with contextlib.suppress(ImportError):  # not on every platform, and only a matter of speed
    import uvloop

    new_loop = uvloop.new_event_loop

Door = Literal["serve", "work", "migrate", "check", "all"]
DOORS: tuple[Door, ...] = get_args(Door)
EXIT_PROBLEMS = 1
EXIT_TRY_AGAIN = 75  # EX_TEMPFAIL: a dependency is away
EXIT_CONFIG = 78  # EX_CONFIG
# What closing connections may take after the drain, before the process is ended from outside.
CLOSING_S = 5.0

log = logging.getLogger(__name__)
S = TypeVar("S", bound=ProcessSettings)


@dataclass(frozen=True, slots=True)
class ServiceDoors(Generic[S]):
    name: str
    load_settings: Callable[[], S]
    run: Callable[[S, Door, Lifetime], Coroutine[Any, Any, None]]
    migrate: Callable[[S], Awaitable[None]]
    # Answers one sentence per problem; an empty list is good news.
    check: Callable[[S], Awaitable[list[str]]]


def main(service: ServiceDoors[S], arguments: Sequence[str] | None = None) -> None:
    door = _door(service.name, arguments)
    settings = _settings(service)
    configure_logging(service.name, settings.log_level)
    configure_tracing(service.name, settings.otlp_endpoint, settings.ca_file)
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            code = runner.run(_enter(service, door, settings))
    except (ConfigurationError, UnsafePosture) as error:
        raise _refuse(str(error).splitlines()) from None
    except Retryable as error:
        away = {"dependency": error.dependency, "why": str(error)}
        log.error("dependency_away", extra=away)  # noqa: TRY400 -- the sentence is enough
        code = EXIT_TRY_AGAIN
    finally:
        shutdown_tracing()
    raise SystemExit(code)


def _door(name: str, arguments: Sequence[str] | None) -> Door:
    parser = argparse.ArgumentParser(prog=f"python -m services.{name}")
    parser.add_argument(
        "door",
        nargs="?",
        choices=DOORS,
        default="all",
        help="serve: the API; work: consumers and relay; all: both (default); "
        "migrate: bring the schema up to date; check: is everything it needs in place?",
    )
    return cast(Door, parser.parse_args(arguments).door)


def _settings(service: ServiceDoors[S]) -> S:
    try:
        settings = service.load_settings()
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise _refuse([_sentence(problem) for problem in problems]) from None
    try:
        failpoints.arm(settings.failpoint or "")
    except ValueError as error:
        raise _refuse([f"{ENV_PREFIX}FAILPOINT is wrong: {error}."]) from None
    if sentences := unsafe(settings):
        raise _refuse(sentences)
    return settings


def _refuse(sentences: list[str]) -> SystemExit:
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return SystemExit(EXIT_CONFIG)


async def _enter(service: ServiceDoors[S], door: Door, settings: S) -> int:
    match door:
        case "migrate":
            await service.migrate(settings)
            return 0
        case "check":
            for line in describe(settings):
                print(line)
            problems = await service.check(settings)
            for problem in problems:
                print(problem, file=sys.stderr)
            return EXIT_PROBLEMS if problems else 0
    metrics.BUILD_INFO.labels(service.name, settings.build).set(1)
    start_at_zero()
    if settings.metrics_are_closed:
        log.warning("metrics_are_closed", extra={"setting": f"{ENV_PREFIX}METRICS_SECRET"})
    life = Lifetime(
        drain_s=settings.drain_s, on_stop=lambda: _last_resort(settings.drain_s + CLOSING_S)
    )
    code = await life.live(_run(service, door, settings, life))
    if life.refused:
        raise UnsafePosture(list(life.refused))
    return code


async def _run(service: ServiceDoors[S], door: Door, settings: S, life: Lifetime) -> None:
    life.spawn("heartbeat", heartbeat(metrics.EVENT_LOOP_LAG_SECONDS.observe))
    life.spawn("room", keep_measuring_room(settings.blobs_url))
    await service.run(settings, door, life)


def _last_resort(after_s: float) -> None:
    # A blocked event loop, a task that swallows its cancellation, a thread inside a vendor's
    # library: none of them may keep a process that was told to go. Everything is crash-safe.
    timer = threading.Timer(after_s, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    log.error("process_would_not_end")
    os._exit(EXIT_PROBLEMS)


def _sentence(problem: ErrorDetails) -> str:
    name = ENV_PREFIX + ".".join(str(part) for part in problem["loc"]).upper()
    if problem["type"] == "missing":
        return f"{name} is not set, and there is no default."
    message = problem["msg"].removeprefix("Value error, ")
    if not problem["loc"]:
        return f"{message}."
    return f"{name} is wrong: {message[0].lower()}{message[1:]}."
