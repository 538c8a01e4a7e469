"""S30 to S36: how it stands open, what it depends on, and what it keeps for how long."""

from tests.faults.fault import Fault, tried

POSTURE = "unit/shared/test_posture.py"
FORWARDED = "unit/shared/test_web_forwarded.py"
GATE = "unit/shared/test_web_gate.py"

THREATS = (
    Fault(
        "S30",
        "a door that stands open, or a password that everybody knows",
        "Everything listens on loopback; a process that would stand open refuses to start and "
        "says why, and there is no password that was not made here.",
        (
            tried(
                POSTURE,
                "test_a_door_to_others_is_refused",
                "test_spans_and_documents_do_not_go_far_in_the_clear",
                "test_a_secret_that_others_know_is_refused",
                "test_every_rule_that_is_broken_is_told_at_once",
                "test_every_door_refuses_with_one_line_and_a_code_of_its_own",
            ),
            tried("unit/local/test_broker_users.py", "test_guest_never_exists"),
            tried("house/test_compose.py", "test_every_published_port_is_on_loopback"),
            tried(
                "containers/test_the_stack_in_containers.py", "test_every_port_is_on_loopback"
            ),
        ),
    ),
    Fault(
        "S31",
        "the description of the API or its metrics, read by a stranger",
        "Both are for known callers; an answer names no server.",
        (
            tried(
                GATE,
                "test_a_description_is_for_known_callers_and_names_what_each_route_needs",
            ),
            tried(
                "unit/shared/test_probes.py",
                "test_metrics_are_for_whoever_shows_what_opens_them",
            ),
            tried(
                "unit/shared/test_web_server.py",
                "test_an_answer_names_no_server_and_signals_stay_ours",
            ),
        ),
    ),
    Fault(
        "S32",
        "a client that says it is somebody else's proxy",
        "What proxies say is believed of those that were named, and of nobody else.",
        (
            tried(
                FORWARDED,
                "test_nobody_else_is",
                "test_without_a_setting_nobody_is",
                "test_the_client_is_the_nearest_that_is_no_proxy_of_ours",
            ),
        ),
    ),
    Fault(
        "S33",
        "what a browser or a proxy keeps of an answer",
        "Answers are not kept; what may be is private and asked about again, and goes when "
        "somebody signs out.",
        (
            tried(GATE, "test_every_answer_carries_the_security_headers"),
            tried(
                "unit/review/test_pages_api.py",
                "test_a_picture_is_private_lasting_and_nothing_but_a_picture",
            ),
            tried("unit/shared/test_web_session.py", "test_an_ended_session_opens_nothing"),
            tried(
                "system/test_when_a_person_reviews.py",
                "test_whoever_has_signed_out_leaves_nothing_of_a_document_behind",
            ),
        ),
    ),
    Fault(
        "S34",
        "what is kept for longer than it may be, or left when it was erased",
        "Classes have their times and a hold outlasts them; an erasure takes bytes, results, "
        "merged files, exports and letters, and the record keeps that it happened.",
        (
            tried(
                "broker/test_ingest_retention.py",
                "test_each_class_has_a_time_of_its_own_and_the_longest_counts",
                "test_a_hold_and_a_deletion_never_both_win",
                "test_who_erased_and_who_held_stands_in_the_audit_log",
            ),
            tried(
                "system/test_when_a_document_is_read_anew.py",
                "test_a_deleted_document_is_erased_everywhere",
            ),
            tried(
                "broker/test_when_storage_is_killed_while_it_erases.py",
                "test_an_erasure_that_was_cut_off_is_gone_on_with",
            ),
            tried(
                "system/test_when_a_document_cannot_be_read.py",
                "test_a_deletion_takes_its_letters_and_those_that_come_late",
            ),
        ),
    ),
    Fault(
        "S35",
        "a package that is not what it was, or has a published hole",
        "Every version is pinned with its hash, none lies below a published floor, and an "
        "image says what it holds.",
        (
            tried(
                "house/test_requirements.py",
                "test_every_pin_is_exact_and_carries_its_hash",
                "test_no_version_lies_below_the_floor_of_a_published_hole",
            ),
            tried(
                "house/test_sbom.py",
                "test_the_bill_holds_what_the_image_installs",
                "test_an_image_that_holds_something_else_is_not_made",
            ),
        ),
    ),
    Fault(
        "S36",
        "a text that makes a pattern take for ever",
        "No pattern takes the square of its text, and texts are cut before they are looked at.",
        (
            tried(
                "unit/extractor/test_hostile_finer.py",
                "test_no_pattern_takes_the_square_of_a_line",
                "test_a_page_made_for_patterns_ends_with_an_outcome",
            ),
            tried(
                "unit/shared/test_failure.py",
                "test_what_is_told_stays_small_and_can_be_sent",
                "test_a_thousand_documents_with_one_bug_are_one_group",
            ),
        ),
    ),
)
