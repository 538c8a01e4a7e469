"""When each alert fires, and what looks like it and is none.

A series is written as promtool reads it: its name, and a value for each minute (`1x60` is 1,
and sixty times again; `0+5x60` rises by five; `_x10` is a gap).
"""

from collections.abc import Mapping

from tests.contract.capacity_cases import CAPACITY
from tests.contract.cases import Case, Series, gauge

STORE = 'queue="storage.store"'
DONE = f'paperline_deliveries_total{{{STORE}, decision="done"}}'
READY = f'paperline_queue_messages{{{STORE}, state="ready"}}'
UPLOADS = 'paperline_http_requests_total{service="ingest", method="POST", route="/v1/documents"'
ENDED = 'service="ingest", status="completed"'
MONITOR = 'paperline_build_info{service="monitor"} 1x80'
PROMISES = [
    'paperline_invariant_violations{invariant="forgotten"} 0x80',
    'paperline_sla_breached{check="urgent"} 0x80',
]
CERTIFICATE = 'paperline_certificate_ends_timestamp_seconds{address="desk.example:443"}'
BLOBS_FREE = 'paperline_blobs_free_bytes{service="storage"}'
BLOBS_SIZE = 'paperline_blobs_size_bytes{service="storage"}'
CHECKED = 'paperline_checked_timestamp_seconds{duty="conservation"}'
BUILDS = [
    f'paperline_build_info{{service="{one}"}}' for one in ("ingest", "extractor", "storage")
]


def uploads(good: str, bad: str) -> Series:
    return [f'{UPLOADS}, status="202"}} {good}', f'{UPLOADS}, status="503"}} {bad}']


def ended(in_time: str, all_of_them: str) -> Series:
    return [
        f'paperline_end_to_end_seconds_bucket{{{ENDED}, le="300.0"}} {in_time}',
        f"paperline_end_to_end_seconds_count{{{ENDED}}} {all_of_them}",
    ]


CASES: Mapping[str, Case] = {
    "InvariantBroken": gauge("invariant_violations", 0, labels={"invariant": "balance"}),
    "PromisesUnchecked": Case(
        [MONITOR, *PROMISES, f"{CHECKED} 0+60x40 2400x40"],
        [
            [MONITOR, *PROMISES, f"{CHECKED} 0+60x80"],
            # Then the monitor is what is missing.
            [f"{CHECKED} 0+60x40 _x40"],
        ],
        labels={"duty": "conservation"},
    ),
    "ResultFilesLost": Case(
        ["paperline_result_files_lost_total 0x60 1x20"],
        [["paperline_result_files_lost_total 3x80"]],
    ),
    "MessagesParked": gauge("outbox_parked", 0, labels={"service": "ingest"}),
    "Unroutable": Case(
        ['paperline_dead_letters_open{queue="unroutable"} 1x80'],
        [
            ['paperline_dead_letters_open{queue="unroutable"} 0x80'],
            [f"paperline_dead_letters_open{{{STORE}}} 5x50"],
        ],
        at="45m",
    ),
    "DocumentsStuck": gauge("documents_stuck", 0),
    "MessagesLost": Case(
        ['paperline_swept_total{stage="extract"} 0x60 1x20'],
        [['paperline_swept_total{stage="extract"} 4x80']],
        labels={"stage": "extract"},
    ),
    "DeletedNotErased": gauge("erasures_oldest_age_seconds", 3600),
    "BudgetBurnsFast": Case(
        uploads("0+98x80", "0+2x80"),
        [
            uploads("0+99x80", "0+1x80"),
            # It has ended: the hour remembers it, the last five minutes do not.
            uploads("0+90x80", "0+10x55 550x25"),
            # One of ten in the hour.
            uploads("0x60 9x20", "0x60 1x20"),
        ],
        labels={"slo": "uploads"},
    ),
    "BudgetBurns": Case(
        uploads("0+99x80", "0+1x80"),
        [uploads("0+995x80", "0+4x80")],
        labels={"slo": "uploads"},
    ),
    "BudgetBurnsSlowly": Case(
        uploads("0+998x80", "0+2x80"),
        [
            uploads("0+1999x80", "0+1x80"),
            # Of a thousand, five are late: ten may be.
            ended("0+995x80", "0+1000x80"),
        ],
        labels={"slo": "uploads"},
    ),
    "ServiceLevelBroken": Case(
        ['paperline_sla_breached{check="stored_in_time"} 1x80'],
        [['paperline_sla_breached{check="stored_in_time"} 0x80']],
        labels={"check": "stored_in_time"},
    ),
    "StageOld": Case(
        ['paperline_oldest_age_seconds{stage="reading"} 151x80'],
        [
            ['paperline_oldest_age_seconds{stage="reading"} 150x80'],
            ['paperline_oldest_age_seconds{stage="waiting"} 900x80'],
        ],
        labels={"stage": "reading"},
    ),
    "DocumentsWait": Case(
        ['paperline_oldest_age_seconds{stage="waiting"} 1801x80'],
        [['paperline_oldest_age_seconds{stage="waiting"} 1800x80']],
    ),
    "ReviewsOverdue": gauge("review_overdue", 0),
    "OutboxNotSent": gauge("outbox_oldest_age_seconds", 60, labels={"service": "storage"}),
    "BrokerBlocks": Case(
        ['paperline_amqp_connection_blocked{service="ingest", purpose="publish"} 1x80'],
        [['paperline_amqp_connection_blocked{service="ingest", purpose="publish"} 0x80']],
        labels={"service": "ingest"},
    ),
    "DeadLettersComeIn": Case(
        [f'paperline_dead_letters_total{{{STORE}, reason="bug"}} 0+6x80', f"{DONE} 0+94x80"],
        [
            [
                f'paperline_dead_letters_total{{{STORE}, reason="bug"}} 0+4x80',
                f"{DONE} 0+96x80",
            ],
            [f'paperline_dead_letters_total{{{STORE}, reason="bug"}} 7x80', f"{DONE} 0+96x80"],
        ],
        labels={"queue": "storage.store"},
    ),
    "DeadLettersWait": Case(
        [f"paperline_dead_letters_open{{{STORE}}} 1x80"],
        [
            [f"paperline_dead_letters_open{{{STORE}}} 0x80"],
            # Somebody came within the hour.
            [f"paperline_dead_letters_open{{{STORE}}} 1x40 0x10 1x30"],
        ],
        labels={"queue": "storage.store"},
    ),
    "ProtectiveStop": Case(
        [f'paperline_paused{{{STORE}, reason="protective_stop"}} 1x80'],
        [[f'paperline_paused{{{STORE}, reason="protective_stop"}} 0x80']],
        labels={"queue": "storage.store"},
    ),
    "QueuePaused": Case(
        [f'paperline_paused{{{STORE}, reason="operator"}} 1x80'],
        [
            [f'paperline_paused{{{STORE}, reason="operator"}} 0x80'],
            [f'paperline_paused{{{STORE}, reason="operator"}} 0x65 1x15'],
        ],
        labels={"queue": "storage.store", "reason": "operator"},
    ),
    "NobodyListens": Case(
        [f"{READY} 1x80", f"paperline_consumers{{{STORE}}} 0x80"],
        [
            [f"{READY} 1x80", f"paperline_consumers{{{STORE}}} 1x80"],
            [f"{READY} 0x80", f"paperline_consumers{{{STORE}}} 0x80"],
            [f"{READY} 1x80", f'paperline_paused{{{STORE}, reason="operator"}} 1x80'],
            # A rung of the ladder: what waits there waits on purpose.
            ['paperline_queue_messages{queue="delay.09", state="ready"} 5x80'],
        ],
        labels={"queue": "storage.store"},
    ),
    "NothingSucceeds": Case(
        [f"{READY} 3x80", f"{DONE} 7x80"],
        [
            [f"{READY} 3x80", f"{DONE} 0+1x80"],
            # Emptied once within the ten minutes.
            [f"{READY} 3x65 0 3x14", f"{DONE} 7x80"],
            [f"{READY} 3x80", f'paperline_paused{{{STORE}, reason="postgres_away"}} 1x80'],
            ['paperline_queue_messages{queue="delay.09", state="ready"} 5x80'],
        ],
        labels={"queue": "storage.store"},
    ),
    "RedeliveriesComeIn": Case(
        [f"paperline_redelivered_total{{{STORE}}} 0+30x80", f"{DONE} 0+100x80"],
        [[f"paperline_redelivered_total{{{STORE}}} 0+10x80", f"{DONE} 0+100x80"]],
        labels={"queue": "storage.store"},
    ),
    "BreakerOpen": Case(
        ['paperline_breaker_state{dependency="gemini"} 2x80'],
        [
            ['paperline_breaker_state{dependency="gemini"} 1x80'],
            ['paperline_breaker_state{dependency="gemini"} 0x67 2x13'],
        ],
        labels={"dependency": "gemini"},
    ),
    "BlobsShort": Case(
        ['paperline_blobs_short{service="storage"} 1x80'],
        [['paperline_blobs_short{service="storage"} 0x80']],
        labels={"service": "storage"},
    ),
    "DiskLow": Case(
        [f"{BLOBS_FREE} 14x80", f"{BLOBS_SIZE} 100x80"],
        [
            [f"{BLOBS_FREE} 15x80", f"{BLOBS_SIZE} 100x80"],
            # In a bucket.
            [f"{BLOBS_FREE} 0x80", f"{BLOBS_SIZE} 0x80"],
        ],
        labels={"service": "storage"},
    ),
    "BlobsFillUp": Case(
        ['paperline_blobs_free_bytes{service="storage"} 100000-1000x80'],
        [
            ['paperline_blobs_free_bytes{service="storage"} 100000-10x80'],
            ['paperline_blobs_free_bytes{service="storage"} 100000x80'],
        ],
        labels={"service": "storage"},
    ),
    "WebhooksNotSent": gauge("webhook_oldest_due_age_seconds", 300),
    "WebhooksGivenUp": Case(
        ['paperline_webhook_attempts_total{outcome="given_up"} 0x60 1x20'],
        [
            ['paperline_webhook_attempts_total{outcome="given_up"} 3x80'],
            ['paperline_webhook_attempts_total{outcome="retried"} 0+5x80'],
        ],
    ),
    "CertificateEnds": Case(
        [f"{CERTIFICATE} {13 * 86400}x140"],
        # It is looked at in the seventieth minute.
        [[f"{CERTIFICATE} {14 * 86400 + 4200}x140"], [f"{CERTIFICATE} 0x50"]],
        labels={"address": "desk.example:443"},
    ),
    **CAPACITY,
    "MonitorSilent": Case(
        ['paperline_build_info{service="monitor"} 1x20 _x60'],
        [['paperline_build_info{service="monitor"} 1x80']],
        labels={"service": "monitor"},
    ),
    "MonitorBlind": Case(
        ["paperline_measured_timestamp_seconds 0+60x50 3000x30"],
        [["paperline_measured_timestamp_seconds 0+60x80"]],
    ),
    "ServiceSilent": Case(
        [f"{one} 1x80" for one in BUILDS],
        [[f"{one} 1x80" for one in (*BUILDS, 'paperline_build_info{service="review"}')]],
        labels={"service": "review"},
    ),
    "ServiceRestarts": Case(
        ['process_start_time_seconds{job="paperline", service="ingest"} 0x58 1 2 3 4 5 6 7x20'],
        [['process_start_time_seconds{job="paperline", service="ingest"} 0x60 1 2 2x20']],
        labels={"service": "ingest"},
    ),
}
