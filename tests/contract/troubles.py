"""What each alert is there for, made in a process that tells of it with the real metrics.

Wherever an alert goes by the value of a label, the code that says this value runs, on fakes; a
plain number is set where that code would set it. So a metric, a label or a word that is renamed
without its alert is found here. What passes with time (an hour of burning, a disk that fills
over night) passes within seconds: the rules are the shipped ones, looking back less far.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from services.ingest.handlers.record import FINAL
from services.monitor.domain.conservation import Violation
from shared.bus.pausing import PROTECTIVE_STOP
from shared.errors import Rejected
from shared.observability import metrics
from shared.topology.queues import EXTRACT, STORE, UNROUTABLE, WATCH
from tests.contract.kinds import Gone, Made, Restarting, Trouble, number, passes
from tests.contract.scarcity import SCARCE
from tests.contract.works import Works
from tests.unit.monitor.world import dead_letter

AN_HOUR_S = 3_600.0
OPERATOR = "operator"


async def lose_a_file(_: Works) -> None:
    metrics.RESULT_FILES_LOST.inc()


async def end_late(_: Works) -> None:
    metrics.END_TO_END_SECONDS.labels(FINAL[0]).observe(AN_HOUR_S)


async def block(blocked: int, _: Works) -> None:
    metrics.AMQP_CONNECTION_BLOCKED.labels("publish").set(blocked)


async def keep_letter(works: Works) -> None:
    await works.monitor.kept(dead_letter(queue=EXTRACT.name))


async def arrive_nowhere(works: Works) -> None:
    stray = replace(dead_letter(), dead_queue=UNROUTABLE, origin_queue="to.whom")
    await works.monitor.kept(stray)


async def settle_letters(works: Works) -> None:
    works.monitor.letters.letters.clear()


async def accept_uploads(works: Works) -> None:
    works.ingest.ledger.error = None


TROUBLES: Mapping[str, Trouble] = {
    "InvariantBroken": Made(
        "monitor",
        lambda works: works.prove(Violation("stored_twice", 1)),
        lambda works: works.prove(),
        {"invariant": "stored_twice"},
    ),
    "PromisesUnchecked": Made(
        "monitor",
        lambda works: works.prove_nothing(for_s=AN_HOUR_S),
        lambda works: works.prove(),
        {"duty": "conservation"},
    ),
    "ResultFilesLost": Made("storage", lose_a_file, passes, once=True),
    "MessagesParked": Made(
        "ingest",
        lambda works: works.owe(parked=1),
        lambda works: works.owe(),
        {"service": "ingest"},
    ),
    "Unroutable": Made("monitor", arrive_nowhere, settle_letters),
    "DocumentsStuck": Made(
        "ingest", lambda works: works.leave(stuck=1), lambda works: works.leave()
    ),
    "MessagesLost": Made(
        "ingest", lambda works: works.sweep(), passes, {"stage": "extract"}, once=True
    ),
    "DeletedNotErased": Made(
        "ingest",
        lambda works: works.leave(oldest_erasure_s=AN_HOUR_S + 1),
        lambda works: works.leave(),
    ),
    "BudgetBurnsFast": Made(
        "ingest", lambda works: works.fail_uploads(), accept_uploads, {"slo": "uploads"}
    ),
    "BudgetBurns": Made("ingest", end_late, passes, {"slo": "stored_in_time"}),
    "BudgetBurnsSlowly": Made(
        "review", lambda works: works.review_late(), passes, {"slo": "review_visible"}
    ),
    "ServiceLevelBroken": Made(
        "monitor",
        lambda works: works.prove(late=50),
        lambda works: works.prove(),
        {"check": "normal"},
    ),
    "StageOld": Made(
        "monitor",
        lambda works: works.stand_still("reading", 151),
        lambda works: works.stand_still("reading", 0),
        {"stage": "reading"},
    ),
    "DocumentsWait": Made(
        "monitor",
        lambda works: works.stand_still("waiting", 1_801),
        lambda works: works.stand_still("waiting", 0),
    ),
    "ReviewsOverdue": number("review", metrics.REVIEW_OVERDUE, 1),
    "OutboxNotSent": Made(
        "storage",
        lambda works: works.owe(oldest_age_s=61),
        lambda works: works.owe(),
        {"service": "storage"},
    ),
    "BrokerBlocks": Made("ingest", partial(block, 1), partial(block, 0), {"service": "ingest"}),
    "DeadLettersComeIn": Made(
        "extractor",
        lambda works: works.deliver(EXTRACT, error=Rejected("encrypted")),
        passes,
        {"queue": EXTRACT.name},
    ),
    "DeadLettersWait": Made(
        "monitor",
        keep_letter,
        settle_letters,
        {"queue": EXTRACT.name},
    ),
    "ProtectiveStop": Made(
        "storage",
        lambda works: works.pause(STORE, PROTECTIVE_STOP),
        lambda works: works.resume(STORE, PROTECTIVE_STOP),
        {"queue": STORE.name},
    ),
    "QueuePaused": Made(
        "storage",
        lambda works: works.pause(STORE, OPERATOR),
        lambda works: works.resume(STORE, OPERATOR),
        {"queue": STORE.name, "reason": OPERATOR},
    ),
    "NobodyListens": Made(
        "monitor",
        lambda works: works.fill(WATCH, ready=3, consumers=0),
        lambda works: works.fill(WATCH, ready=0, consumers=1),
        {"queue": WATCH.name},
    ),
    "NothingSucceeds": Made(
        "monitor",
        lambda works: works.fill(WATCH, ready=3, consumers=1),
        lambda works: works.fill(WATCH, ready=0, consumers=1),
        {"queue": WATCH.name},
    ),
    "RedeliveriesComeIn": Made(
        "extractor",
        lambda works: works.deliver(EXTRACT, redelivered=True),
        passes,
        {"queue": EXTRACT.name},
    ),
    "BreakerOpen": Made(
        "extractor",
        lambda works: works.see_breaker("open"),
        lambda works: works.see_breaker("closed"),
        {"dependency": "gemini"},
    ),
    "BlobsShort": Made(
        "storage",
        lambda works: works.have_free(0),
        lambda works: works.have_free(0.5),
        {"service": "storage"},
    ),
    "DiskLow": Made(
        "storage",
        lambda works: works.have_free(0.14),
        lambda works: works.have_free(0.5),
        {"service": "storage"},
    ),
    "BlobsFillUp": Made(
        "storage",
        lambda works: works.lose_room(),
        lambda works: works.have_free(0.5),
        {"service": "storage"},
    ),
    "WebhooksNotSent": number("ingest", metrics.WEBHOOK_OLDEST_DUE_AGE, 301),
    "WebhooksGivenUp": Made(
        "ingest", lambda works: works.give_up_on_a_webhook(), passes, once=True
    ),
    "CertificateEnds": Made(
        "monitor",
        lambda works: works.show_certificate(ends_in_days=1),
        lambda works: works.show_certificate(ends_in_days=90),
    ),
    **SCARCE,
    "MonitorSilent": Gone("monitor", {"service": "monitor"}),
    "MonitorBlind": Made(
        "monitor",
        lambda works: works.measure_long_ago(AN_HOUR_S),
        lambda works: works.measure_long_ago(0),
    ),
    "ServiceSilent": Gone("review", {"service": "review"}),
    "ServiceRestarts": Restarting("review", 5, {"service": "review"}),
}


class Suffering:
    """A service that goes on working, with the troubles that it has just now."""

    def __init__(self, service: str) -> None:
        self._works = Works(service)
        self._now: dict[str, Made] = {}

    async def begin(self) -> None:
        await self._works.begin()
        await self.pulse()

    async def pulse(self) -> None:
        for trouble in self._now.values():
            await trouble.make(self._works)
        await self._works.go_on()

    async def turn(self, verb: str, alert: str) -> None:
        trouble = TROUBLES[alert]
        assert isinstance(trouble, Made)
        if verb == "end":
            self._now.pop(alert, None)
            await trouble.mend(self._works)
        elif trouble.once:
            await trouble.make(self._works)
        else:
            self._now[alert] = trouble
