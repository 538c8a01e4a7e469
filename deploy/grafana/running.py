"""How the processes run: requests, errors and durations; and the provider that is asked."""

from deploy.grafana.panels import Dashboard, Panel, Query, or_none, quantile, rate

SILENT = "A service is silent"
BREAKER = "The breaker is open"
REQUESTS = "paperline_http_requests_total"
STARTED = 'process_start_time_seconds{job="paperline"}'
FAILED = 'paperline_http_requests_total{status=~"5.."}'

SERVICES = Dashboard(
    "services",
    "services",
    (
        Panel(
            "Requests",
            "How much is asked of each API?",
            SILENT,
            (Query(rate(REQUESTS, "service"), "{{service}} / s"),),
        ),
        Panel(
            "Share of errors of ours",
            "How many requests are answered with 500 and above?",
            "The error budget burns fast",
            (
                Query(
                    f"({rate(FAILED, 'service')} or 0 * {rate(REQUESTS, 'service')}) "
                    f"/ ({rate(REQUESTS, 'service')} > 0)",
                    "{{service}}",
                ),
            ),
            "percentunit",
        ),
        Panel(
            "Duration of requests",
            "How long does a client wait for an answer?",
            "The error budget burns fast",
            (
                Query(
                    quantile(0.5, "paperline_http_request_seconds", "service"), "{{service}}"
                ),
                Query(
                    quantile(0.99, "paperline_http_request_seconds", "service"),
                    "{{service}}, p99",
                ),
            ),
            "s",
        ),
        Panel(
            "Slowest routes",
            "Which questions take longest?",
            "The error budget burns slowly",
            (
                Query(
                    f"topk(5, {quantile(0.99, 'paperline_http_request_seconds', 'route')})",
                    "{{route}}, p99",
                ),
            ),
            "s",
        ),
        Panel(
            "Duration of deliveries",
            "How long does a message take, or a batch of them?",
            "A stage is old",
            (
                Query(
                    quantile(0.95, "paperline_stage_duration_seconds", "queue"),
                    "{{queue}}, p95",
                ),
            ),
            "s",
        ),
        Panel(
            "What runs out",
            "Of what servers have only so much of, how much is in use? At 1 they stop.",
            "The broker is near its alarm",
            (Query("max by (resource) (paperline_capacity_share)", "{{resource}}"),),
            "percentunit",
        ),
        Panel(
            "Event loops",
            "Does anything hold up a process, and with it every delivery?",
            "Much is delivered again",
            (
                Query(
                    quantile(0.99, "paperline_event_loop_lag_seconds", "service"),
                    "{{service}}, p99",
                ),
            ),
            "s",
        ),
        Panel(
            "Wait for the database",
            "Is a connection pool too small?",
            "A stage is old",
            (
                Query(
                    quantile(0.99, "paperline_pool_wait_seconds", "service"), "{{service}}, p99"
                ),
            ),
            "s",
        ),
        Panel(
            "Memory",
            "How much does each process hold?",
            "A service keeps restarting",
            (
                Query(
                    'max by (service) (process_resident_memory_bytes{job="paperline"})',
                    "{{service}}",
                ),
            ),
            "bytes",
        ),
        Panel(
            "Processor",
            "How many cores does each service use?",
            "A stage is old",
            (
                Query(
                    rate('process_cpu_seconds_total{job="paperline"}', "service"), "{{service}}"
                ),
            ),
        ),
        Panel(
            "Restarts and versions",
            "What runs, and since when? A step is a deploy or a crash.",
            "A service keeps restarting",
            (
                Query(
                    f"count by (service) ({STARTED})",
                    "{{service}}, processes",
                ),
                Query(
                    "max by (service, version) (paperline_build_info)",
                    "{{service}} {{version}}",
                ),
                Query(
                    f"sum by (service) (changes({STARTED}[15m]))",
                    "{{service}}, restarts in 15 min",
                ),
            ),
        ),
    ),
)

PROVIDER = Dashboard(
    "provider",
    "extraction and provider",
    (
        Panel(
            "Duration of an extraction",
            "How long does one document take to be read, whoever reads it?",
            "A stage is old",
            tuple(
                Query(quantile(share, "processing_duration_seconds"), legend)
                for share, legend in ((0.5, "median"), (0.95, "p95"))
            ),
            "s",
        ),
        Panel(
            "Calls of the model",
            "Does it answer, throttle or fail?",
            BREAKER,
            (
                Query(
                    or_none(
                        rate("paperline_llm_requests_total", "model", "outcome", per=" * 60")
                    ),
                    "{{model}} {{outcome}} / min",
                ),
            ),
        ),
        Panel(
            "Duration of a call",
            "How long does the provider take?",
            BREAKER,
            (
                Query(
                    or_none(quantile(0.95, "paperline_llm_duration_seconds", "model")),
                    "{{model}}, p95",
                ),
            ),
            "s",
        ),
        Panel(
            "Breaker and calls",
            "Is it asked at all? 0 closed, 1 half-open, 2 open.",
            BREAKER,
            (
                Query(
                    or_none("max by (dependency) (paperline_breaker_state)"),
                    "{{dependency}} state",
                ),
                Query(
                    or_none("sum by (dependency) (paperline_llm_calls_in_flight)"),
                    "{{dependency}} in flight",
                ),
                Query(
                    or_none("sum(increase(paperline_breaker_opened_total[1h]))"),
                    "opened in 1 h",
                ),
            ),
        ),
        Panel(
            "Quota and own rate",
            "Do we ask too much, and how long do documents wait for our own limit?",
            BREAKER,
            (
                Query(
                    or_none(rate("paperline_llm_throttled_total", "quota", per=" * 60")),
                    "refused by a quota ({{quota}}) / min",
                ),
                Query(quantile(0.95, "paperline_llm_throttle_wait_seconds"), "wait, p95"),
            ),
        ),
        Panel(
            "Not asked",
            "How many documents went on without the provider, and why?",
            BREAKER,
            (
                Query(
                    or_none(rate("paperline_llm_not_asked_total", "reason", per=" * 60")),
                    "{{reason}} / min",
                ),
            ),
        ),
        Panel(
            "Tokens",
            "How many are used?",
            BREAKER,
            (
                Query(
                    or_none(rate("paperline_llm_tokens_total", "direction")),
                    "{{direction}} / s",
                ),
            ),
        ),
        Panel(
            "Money",
            "What does it cost an hour, and what has today cost so far?",
            BREAKER,
            (
                Query(or_none(rate("paperline_llm_cost_usd_total", per=" * 3600")), "an hour"),
                Query("max(paperline_llm_spending_today_usd)", "today, all owners"),
            ),
            "currencyUSD",
        ),
        Panel(
            "Parsers",
            "Do their processes end as they should, and does anybody wait for one?",
            "A service keeps restarting",
            (
                Query(
                    or_none(
                        rate("paperline_parsers_ended_total", "kind", "reason", per=" * 60")
                    ),
                    "{{kind}} {{reason}} / min",
                ),
                Query(
                    or_none(quantile(0.95, "paperline_parser_wait_seconds", "kind")),
                    "{{kind}} wait, p95, s",
                ),
            ),
        ),
    ),
)
