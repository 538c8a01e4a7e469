"""The doors `migrate` and `check`: is everything in place that the service stands on?"""

import logging
from collections.abc import Mapping
from pathlib import Path

from shared.bus.losses import BROKER_ERRORS
from shared.database.durability import lost_on_a_crash_at
from shared.database.migrations import migrate, pending
from shared.errors import Retryable
from shared.process.posture import UnsafePosture
from shared.process.settings import ENV_PREFIX, ProcessSettings
from shared.topology.declare import missing_queues
from shared.topology.queues import WORK_QUEUES

log = logging.getLogger(__name__)

Schemas = Mapping[str, tuple[Path, ...]]


async def migrate_service(name: str, settings: ProcessSettings, schemas: Schemas) -> None:
    await _require_durable(settings.migrate_address)
    for schema, locations in schemas.items():
        role = f"paperline_{name}" if schema == name else None
        applied = await migrate(
            settings.migrate_address, schema=schema, locations=locations, role=role
        )
        log.info("migrated", extra={"schema": schema, "applied": applied})
        for revision in applied:
            print(f"{schema}: applied {revision}")  # noqa: T201 -- the answer of this door


async def check_service(name: str, settings: ProcessSettings, schemas: Schemas) -> list[str]:
    return [
        *await _schema_problems(settings, schemas),
        *await _queue_problems(name, settings),
    ]


async def _schema_problems(settings: ProcessSettings, schemas: Schemas) -> list[str]:
    problems = []
    for schema, locations in schemas.items():
        try:
            await _require_durable(settings.database_address)
            waiting = await pending(settings.database_address, schema, locations)
        except Retryable as away:
            return [f"The database at {ENV_PREFIX}DATABASE_URL does not answer: {away}."]
        if waiting:
            problems.append(
                f"The schema {schema} lacks {', '.join(waiting)}: run the migrate door."
            )
    return problems


async def _queue_problems(name: str, settings: ProcessSettings) -> list[str]:
    # Its dead queues are the monitor's; later brokers (seen on 4.3) tell nobody else of them.
    owned = [queue.name for queue in WORK_QUEUES if queue.service == name]
    try:
        missing = await missing_queues(settings.amqp_address, owned)
    except BROKER_ERRORS as error:
        return [f"The broker at {ENV_PREFIX}AMQP_URL does not answer: {error!r}."]
    return [
        f"The queue {queue} does not exist: run python -m shared.topology apply."
        for queue in missing
    ]


async def _require_durable(address: str) -> None:
    if unsafe := await lost_on_a_crash_at(address):
        raise UnsafePosture(unsafe)
