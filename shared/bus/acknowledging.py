"""The last act of a delivery. A channel that is gone by then is no accident worth raising.

The broker delivers again what it did not hear about, and the inbox recognises it.
"""

import logging

from aiormq.abc import AbstractChannel

from shared.bus.losses import BROKER_ERRORS
from shared.failpoints import failpoint

log = logging.getLogger(__name__)


async def acknowledge(channel: AbstractChannel, tag: int, *, multiple: bool = False) -> None:
    await failpoint("consumer.before_ack")
    try:
        await channel.basic_ack(tag, multiple=multiple, wait=False)
    except BROKER_ERRORS as error:
        log.info("ack_lost", extra={"tag": tag, "error": repr(error)})
