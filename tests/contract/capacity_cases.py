"""When something is about to run out, and when there is still enough of it."""

from collections.abc import Mapping

from tests.contract.cases import Case, gauge

SHARE = "paperline_capacity_share"
WAITING = 'paperline_queue_messages{queue="storage.store", state="ready"}'
RESTING = 'paperline_queue_messages{queue="delay.09", state="ready"}'


def share(resource: str, limit: float) -> Case:
    told = f'{SHARE}{{resource="{resource}"}}'
    return Case([f"{told} {limit + 0.01}x80"], [[f"{told} {limit}x80"]])


def slow(metric: str) -> Case:
    """Nine of ten are quick, or nine of ten take over half a second."""
    told = f'paperline_{metric}_bucket{{service="review"'

    def series(quick: int) -> list[str]:
        return [
            f'{told}, le="0.1"}} 0+{quick}x80',
            f'{told}, le="0.5"}} 0+{quick}x80',
            f'{told}, le="1.0"}} 0+100x80',
            f'{told}, le="+Inf"}} 0+100x80',
        ]

    return Case(series(90), [series(96)], labels={"service": "review"})


CAPACITY: Mapping[str, Case] = {
    "DatabaseConnectionsShort": share("database_connections", 0.85),
    "DatabaseNotVacuumed": Case(
        [f'{SHARE}{{resource="database_transaction_ids"}} 0.26x80'],
        [
            [f'{SHARE}{{resource="database_transaction_ids"}} 0.25x80'],
            *gauge("outbox_dead_rows", 100_000, labels={"service": "storage"}).quiet,
            # A busy hour, and then the vacuum came.
            ['paperline_outbox_dead_rows{service="storage"} 200000x60 0x20'],
        ],
    ),
    "BrokerShort": Case(
        [f'{SHARE}{{resource="broker_memory"}} 0.81x80'],
        [
            [f'{SHARE}{{resource="broker_memory"}} 0.8x80'],
            [f'{SHARE}{{resource="database_connections"}} 0.84x80'],
        ],
        labels={"resource": "broker_memory"},
    ),
    "QueueGrows": Case(
        [f"{WAITING} 1000+60x80"],
        [
            # Much, and it does not become more.
            [f"{WAITING} 9000x80"],
            [f"{WAITING} 9000-60x80"],
            # More and more, and not yet much.
            [f"{WAITING} 0+6x80"],
            [f"{RESTING} 1000+60x80"],
        ],
        at="75m",
        labels={"queue": "storage.store"},
    ),
    "PoolTooSmall": slow("pool_wait_seconds"),
    "EventLoopLags": slow("event_loop_lag_seconds"),
    "FilesRunOut": Case(
        [
            'process_open_fds{service="ingest"} 900x80',
            'process_max_fds{service="ingest"} 1024x80',
        ],
        [
            [
                'process_open_fds{service="ingest"} 800x80',
                'process_max_fds{service="ingest"} 1024x80',
            ]
        ],
        labels={"service": "ingest"},
    ),
    "MoneyNearlySpent": share("day_ceiling", 0.8),
}
