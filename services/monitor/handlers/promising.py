"""Hold what was promised against what was done, class by class, and tell of a breach once."""

import logging
from functools import partial

from services.monitor.domain.duties import LEVELS as DUTY
from services.monitor.domain.levels import Level, level_of
from services.monitor.handlers.duties import Result, perform
from services.monitor.ports import Ports
from shared.audit.chain import Entry
from shared.contracts.processes import ServiceLevelBreachedV1, ServiceLevelRestoredV1
from shared.ledger.port import Unit

log = logging.getLogger(__name__)

EVERY_S = 300.0


async def check_levels(use: Ports) -> bool:
    return await perform(DUTY, EVERY_S, partial(_check, use=use), use)


async def _check(unit: Unit, before: Result, *, use: Ports) -> Result:
    measured = await use.numbers.measure_levels(unit, use.terms)
    levels = sorted((level_of(one, use.terms) for one in measured), key=lambda one: one.name)
    turned = [
        one
        for one in levels
        if one.is_breached != bool(before.get(one.name, {}).get("is_breached", False))
    ]
    for level in turned:
        _tell(unit, level)
    if turned:
        await use.trail.record(unit, *(_entry(level) for level in turned))
    return {level.name: level.told() for level in levels}


def _tell(unit: Unit, level: Level) -> None:
    fact = ServiceLevelBreachedV1 if level.is_breached else ServiceLevelRestoredV1
    unit.send(
        fact(
            level=level.name,
            target_s=level.target_s,
            ratio_min=level.ratio_min,
            ratio=level.ratio,
            due=level.due,
            late=level.late,
        )
    )
    log.warning("service_level_turned", extra={"level": level.name, **level.told()})


def _entry(level: Level) -> Entry:
    action = "service_level_breached" if level.is_breached else "service_level_restored"
    return Entry("system", action, f"service-level/{level.name}", after=level.told())
