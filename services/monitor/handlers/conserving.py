"""Prove from what was told that nothing was lost or doubled; name what contradicts it."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from services.monitor.domain.conservation import (
    OFFENDERS_MAX,
    Conservation,
    all_violations,
    bounded,
)
from services.monitor.domain.duties import CONSERVATION as DUTY
from services.monitor.handlers.duties import Result, perform
from services.monitor.ports import Ports
from shared.ledger.port import Unit

log = logging.getLogger(__name__)

EVERY_S = 300.0
# Looked at all the time; whoever wants to know of longer ago asks for a report.
WINDOW = timedelta(days=3)
NAMED_MAX = 5


async def report(since: datetime, until: datetime, use: Ports) -> Conservation:
    """For whoever asks, with the audit log."""
    found = await _look(since, until, use)
    return replace(found, audit=await use.conserved.verify_audit())


async def _look(
    since: datetime, until: datetime, use: Ports, unit: Unit | None = None
) -> Conservation:
    now, began_at = use.clock.now(), await use.conserved.began_at()
    period = bounded(since, until, began_at, now)
    sums = await use.conserved.count_accepted(period, unit=unit)
    found = await use.conserved.find_violations(period, OFFENDERS_MAX, unit=unit)
    return Conservation(period, began_at, now, sums, all_violations(sums, found))


async def check_conservation(use: Ports) -> bool:
    return await perform(DUTY, EVERY_S, partial(_check, use=use), use)


async def _check(unit: Unit, before: Result, *, use: Ports) -> Result:
    now = use.clock.now()
    found = await _look(now - WINDOW, now, use, unit)
    for one in found.violations:
        if one.total:
            named = [offender.subject for offender in one.offenders[:NAMED_MAX]]
            told = {"invariant": one.invariant, "total": one.total, "offenders": named}
            log.error("invariant_violated", extra=told)
    return {one.invariant: one.total for one in found.violations}
