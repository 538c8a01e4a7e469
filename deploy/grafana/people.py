"""What people do and what nobody may have to do: reviewing, and the integrity of the data."""

from deploy.grafana.panels import Dashboard, Panel, Query, or_none, quantile, rate

OVERDUE = "Reviews are overdue"
LOST = "A stage was ordered again"
AN_HOUR = " * 3600"

REVIEW = Dashboard(
    "review",
    "review",
    (
        Panel(
            "Waiting for a person",
            "How many documents wait to be decided, and how many of them too long?",
            OVERDUE,
            (
                Query("max(paperline_review_open)", "open"),
                Query("max(paperline_review_overdue)", "overdue"),
            ),
        ),
        Panel(
            "Oldest item",
            "For how long has it waited?",
            OVERDUE,
            (Query("max(paperline_review_oldest_age_seconds)", "oldest"),),
            "s",
        ),
        Panel(
            "Verdicts",
            "What do reviewers decide?",
            OVERDUE,
            (
                Query(
                    or_none(rate("paperline_review_decisions_total", "verdict", per=AN_HOUR)),
                    "{{verdict}} / h",
                ),
            ),
        ),
        Panel(
            "Corrected fields",
            "What does the machine get wrong most often?",
            OVERDUE,
            (
                Query(
                    or_none(
                        "topk(10, sum by (field) "
                        "(increase(paperline_review_corrections_total[1d])))"
                    ),
                    "{{field}}",
                ),
            ),
        ),
        Panel(
            "Time in hand",
            "How long does a person need for one?",
            OVERDUE,
            (
                Query(quantile(0.5, "paperline_review_seconds"), "median"),
                Query(quantile(0.9, "paperline_review_seconds"), "p90"),
            ),
            "s",
        ),
        Panel(
            "At the desk in time",
            "How long after it was stored does an item appear?",
            "The error budget burns fast",
            (Query(quantile(0.99, 'paperline_critical_seconds{queue="review.open"}'), "p99"),),
            "s",
        ),
        Panel(
            "Straight through",
            "What came of those that needed nobody?",
            OVERDUE,
            (
                Query(
                    or_none(
                        rate("paperline_review_straight_through_total", "outcome", per=AN_HOUR)
                    ),
                    "{{outcome}} / h",
                ),
            ),
        ),
        Panel(
            "What else people do",
            "How often is a block overridden, a duplicate named, a decision taken back?",
            OVERDUE,
            (
                Query(
                    or_none(rate("paperline_review_actions_total", "action", per=AN_HOUR)),
                    "{{action}} / h",
                ),
            ),
        ),
        Panel(
            "Pages",
            "Are they there before they are looked at, and how long does drawing take?",
            OVERDUE,
            (
                Query(
                    or_none(rate("paperline_pages_shown_total", "outcome", per=" * 60")),
                    "{{outcome}} / min",
                ),
                Query(quantile(0.95, "paperline_page_seconds"), "drawing, p95, s"),
            ),
        ),
    ),
)

INTEGRITY = Dashboard(
    "integrity",
    "data integrity",
    (
        Panel(
            "Promises that are broken",
            "Does anything contradict the proof that nothing was lost or doubled?",
            "Something contradicts a promise",
            (Query("max by (invariant) (paperline_invariant_violations)", "{{invariant}}"),),
        ),
        Panel(
            "Service levels",
            "Which class of documents comes to its end too late? 1 is a breach.",
            "A service level is breached",
            (Query("max by (check) (paperline_sla_breached)", "{{check}}"),),
        ),
        Panel(
            "Messages lost",
            "How often had a stage to be ordered again? Anything above zero is a defect.",
            LOST,
            (
                Query(
                    or_none("sum by (stage) (increase(paperline_swept_total[1h]))"), "{{stage}}"
                ),
            ),
        ),
        Panel(
            "Documents stuck",
            "How many have been in processing for more than half an hour?",
            "Documents are stuck",
            (Query("max(paperline_documents_stuck)", "stuck"),),
        ),
        Panel(
            "Messages without a home",
            "What was parked, and what arrived nowhere?",
            "Something arrived nowhere",
            (
                Query("sum(paperline_outbox_parked)", "parked"),
                Query('max(paperline_dead_letters_open{queue="unroutable"})', "unroutable"),
            ),
        ),
        Panel(
            "Files of results",
            "Does a committed version lack its file, and were any erased that nobody knew?",
            "A result has lost its file",
            (
                Query("sum(increase(paperline_result_files_lost_total[1h]))", "lost"),
                Query("sum(increase(paperline_strays_erased_total[1h]))", "strays erased"),
                Query("sum(increase(paperline_orphans_erased_total[1h]))", "orphans erased"),
            ),
        ),
        Panel(
            "Work done once",
            "How much came twice and was recognised?",
            "Much is delivered again",
            (
                Query(rate("paperline_redelivered_total", per=" * 60"), "redelivered / min"),
                Query(
                    rate("paperline_inbox_duplicates_total", per=" * 60"), "recognised / min"
                ),
                Query(
                    or_none(rate("paperline_lease_expired_total", per=" * 60")),
                    "leases expired",
                ),
            ),
        ),
        Panel(
            "Replays",
            "What became of them?",
            "Dead letters wait for somebody",
            (
                Query(
                    or_none("sum by (outcome) (increase(paperline_replays_total[1h]))"),
                    "{{outcome}} in 1 h",
                ),
            ),
        ),
        Panel(
            "Erasing",
            "Is what was deleted gone everywhere?",
            "Deleted documents are not erased",
            (
                Query("max(paperline_erasures_open)", "open"),
                Query("max(paperline_erasures_oldest_age_seconds) / 60", "oldest, min"),
            ),
        ),
        Panel(
            "Room for blobs",
            "How much is free? Below the limit, writing pauses.",
            "The disk of the blobs is short",
            (Query("min by (service) (paperline_blobs_free_bytes)", "{{service}}"),),
            "bytes",
        ),
        Panel(
            "Share of the disk that is free",
            "Will it last? Below 15 % somebody is told.",
            "The disk of the blobs is nearly full",
            (
                Query(
                    "min by (service) "
                    "(paperline_blobs_free_bytes / (paperline_blobs_size_bytes > 0))",
                    "{{service}}",
                ),
            ),
            "percentunit",
        ),
        Panel(
            "How new these numbers are",
            "When did the monitor last look, and when did it last check the promises?",
            "The monitor sees nothing new",
            (
                Query("time() - max(paperline_measured_timestamp_seconds)", "looked"),
                Query(
                    "time() - max by (duty) (paperline_checked_timestamp_seconds)", "{{duty}}"
                ),
            ),
            "s",
        ),
        Panel(
            "Certificates",
            "How long are those of our servers good for? Below two weeks somebody is told.",
            "A certificate ends soon",
            (
                Query(
                    or_none(
                        "min by (address) (paperline_certificate_ends_timestamp_seconds)"
                        " - time()"
                    ),
                    "{{address}}",
                ),
            ),
            "s",
        ),
    ),
)
