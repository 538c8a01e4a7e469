"""The way of documents: what comes in, where it stands, and the queues between the services."""

from deploy.grafana.panels import Dashboard, Panel, Query, or_none, quantile, rate

A_MINUTE = " * 60"
STAGE_OLD = "A stage is old"
OUTBOX = "The outbox is not being sent"

PIPELINE = Dashboard(
    "pipeline",
    "pipeline",
    (
        Panel(
            "Documents in and out",
            "Do as many end as come in?",
            "Documents wait to be read",
            (
                Query(
                    rate("paperline_documents_accepted_total", "door", per=A_MINUTE),
                    "accepted by {{door}} / min",
                ),
                Query(
                    # The monitor counts them too; whoever accepted them has the last word.
                    rate('documents_processed_total{service="ingest"}', "status", per=A_MINUTE),
                    "{{status}} / min",
                ),
            ),
        ),
        Panel(
            "Where documents are",
            "How many stand where? Together they are all that were ever accepted.",
            "Something contradicts a promise",
            (Query("max by (status) (paperline_documents)", "{{status}}"),),
        ),
        Panel(
            "Oldest document per stage",
            "For how long has the one that waits longest been standing there?",
            STAGE_OLD,
            (Query("max by (stage) (paperline_oldest_age_seconds)", "{{stage}}"),),
            "s",
        ),
        Panel(
            "From upload to end",
            "How long does a client wait after its 202?",
            STAGE_OLD,
            tuple(
                Query(quantile(share, 'paperline_end_to_end_seconds{service="ingest"}'), legend)
                for share, legend in ((0.5, "median"), (0.95, "p95"), (0.99, "p99"))
            ),
            "s",
        ),
        Panel(
            "Error budget",
            "How many times as fast as allowed is each promise broken? 1 lasts four weeks.",
            "The error budget burns fast",
            (
                Query("paperline:slo_burn:5m", "{{slo}}, 5 min"),
                Query("paperline:slo_burn:6h", "{{slo}}, 6 h"),
            ),
        ),
        Panel(
            "Confidence",
            "How sure is the machine, and is it getting less sure?",
            "Reviews are overdue",
            (
                Query(quantile(0.1, "extraction_confidence"), "p10"),
                Query(quantile(0.5, "extraction_confidence"), "median"),
            ),
            "percentunit",
        ),
        Panel(
            "Content known already",
            "How many documents needed no engine, because the same bytes were read before?",
            "Documents wait to be read",
            (Query(rate("paperline_cache_hits_total", per=A_MINUTE), "from the cache / min"),),
        ),
        Panel(
            "Owners told",
            "Are webhooks delivered?",
            "Webhooks are not being sent",
            (
                Query(
                    rate("paperline_webhook_attempts_total", "outcome", per=A_MINUTE),
                    "{{outcome}} / min",
                ),
                Query("max(paperline_webhook_oldest_due_age_seconds)", "oldest due, s"),
                Query(
                    or_none("sum(increase(paperline_webhooks_disabled_total[1d]))"),
                    "endpoints turned off in a day",
                ),
            ),
        ),
    ),
)

QUEUES = Dashboard(
    "queues",
    "queues and outbox",
    (
        Panel(
            "Messages in queues",
            "How much waits, and where? Rungs (delay) hold what is to wait.",
            "Nobody listens",
            (
                Query(
                    'max by (queue) (paperline_queue_messages{state="ready"})',
                    "{{queue}}",
                ),
            ),
        ),
        Panel(
            "Messages in hand",
            "How much is being worked on?",
            "Nothing has succeeded for 15 minutes with a backlog",
            (Query('max by (queue) (paperline_queue_messages{state="unacked"})', "{{queue}}"),),
        ),
        Panel(
            "Consumers",
            "Is anybody listening?",
            "Nobody listens",
            (Query("sum by (queue) (paperline_consumers)", "{{queue}}"),),
        ),
        Panel(
            "Paused queues",
            "What stopped taking, and why?",
            "A queue is paused",
            (
                Query(
                    or_none("max by (queue, reason) (paperline_paused) == 1"),
                    "{{queue}} {{reason}}",
                ),
            ),
        ),
        Panel(
            "Deliveries",
            "What becomes of them: done, waiting, dead?",
            "Dead letters come in",
            (Query(rate("paperline_deliveries_total", "decision"), "{{decision}} / s"),),
        ),
        Panel(
            "Share that dies",
            "How much of what is delivered ends as a dead letter? Above 5 % somebody is woken.",
            "Dead letters come in",
            (
                Query(
                    f"{rate('paperline_dead_letters_total', 'queue')} "
                    f"/ ({rate('paperline_deliveries_total', 'queue')} > 0)",
                    "{{queue}}",
                ),
            ),
            "percentunit",
        ),
        Panel(
            "Open dead letters",
            "How many wait for a person?",
            "Dead letters wait for somebody",
            (Query("max by (queue) (paperline_dead_letters_open)", "{{queue}}"),),
        ),
        Panel(
            "Outbox",
            "Is what was committed with the broker?",
            OUTBOX,
            (
                Query("max by (service) (paperline_outbox_unsent)", "{{service}} unsent"),
                Query("max by (service) (paperline_outbox_parked)", "{{service}} parked"),
            ),
        ),
        Panel(
            "Oldest in the outbox",
            "For how long has something been owed? Above a minute somebody is woken.",
            OUTBOX,
            (Query("max by (service) (paperline_outbox_oldest_age_seconds)", "{{service}}"),),
            "s",
        ),
        Panel(
            "Publishing",
            "Does what we send arrive? What nobody answered for is sent again.",
            "Messages were parked",
            (
                Query(rate("paperline_published_total", "outcome"), "{{outcome}} / s"),
                Query(or_none(rate("paperline_publish_unknown_total")), "unknown / s"),
                Query(or_none(rate("paperline_unroutable_total")), "without a queue / s"),
            ),
        ),
        Panel(
            "Broker",
            "How long does it take to confirm, and does it hold us back?",
            "The broker takes nothing",
            (
                Query(quantile(0.99, "paperline_publish_seconds"), "confirm, p99"),
                Query("max(paperline_amqp_connection_blocked)", "blocked"),
                Query(or_none(rate("paperline_reconnects_total", per=A_MINUTE)), "reconnects"),
            ),
            "s",
        ),
        Panel(
            "From order to end",
            "How long does a job take that had to wait for nothing but its turn?",
            STAGE_OLD,
            (Query(quantile(0.95, "paperline_critical_seconds", "queue"), "{{queue}}, p95"),),
            "s",
        ),
    ),
)
