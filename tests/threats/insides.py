"""S19 and S23 to S29: accounts of services, statements, logs, money, and people with rights."""

from tests.faults.fault import Fault, tried

OPERATIONS = "unit/monitor/test_api_operations.py"

THREATS = (
    Fault(
        "S19",
        "a service that was taken over and speaks for the others",
        "Each has a user of the broker, a role of the database and a key of the object store, "
        "which may do what it has to and nothing else.",
        (
            tried(
                "broker/test_what_a_broker_user_may_do.py",
                "test_the_table_is_what_the_broker_does",
            ),
            tried(
                "contract/test_sayers.py",
                "test_a_service_may_say_what_its_code_makes_and_nothing_else",
            ),
            tried(
                "conformance/test_rights_of_keys.py",
                "test_the_table_is_what_the_store_does",
                "test_only_storage_has_all_of_it",
            ),
            tried(
                "broker/test_what_a_role_may_do.py",
                "test_the_table_is_what_the_server_does",
                "test_nobody_else_enters_the_database",
            ),
            tried(
                "broker/test_access_rights.py",
                "test_every_other_service_reads_the_keys_and_writes_none",
            ),
        ),
    ),
    Fault(
        "S23",
        "a filter or an order that becomes a part of a statement",
        "Statements are files with parameters; what may be sorted or filtered by is a list.",
        (
            tried(
                "house/test_sql.py",
                "test_no_statement_hides_in_a_python_string",
                "test_sql_lives_among_statements_or_revisions_only",
            ),
            tried(
                "system/test_when_a_filter_is_hostile.py",
                "test_whatever_stands_in_a_filter_is_looked_for_and_nothing_else",
            ),
            tried(
                "unit/monitor/test_api.py",
                "test_a_misspelt_filter_is_refused_instead_of_ignored",
            ),
        ),
    ),
    Fault(
        "S24",
        "a text that writes lines of its own into the log",
        "A line is one JSON object of printable ASCII, each value within its field and its "
        "length.",
        (
            tried(
                "unit/shared/test_logging.py",
                "test_a_hostile_text_stays_in_its_field",
                "test_a_value_cannot_replace_what_the_line_is_about",
                "test_a_long_value_is_cut_and_says_so",
            ),
        ),
    ),
    Fault(
        "S25",
        "a secret, or what stands in an invoice, in a log, a trace, a metric or an error",
        "Only named values are written; addresses lose their passwords, errors say nothing of "
        "the inside, and letters are listed without their payload.",
        (
            tried(
                "unit/shared/test_logging.py", "test_a_password_in_an_address_is_not_written"
            ),
            tried("unit/shared/test_tracing.py", "test_a_failure_is_named_and_not_quoted"),
            tried(
                "unit/shared/test_web_gate.py",
                "test_every_error_is_a_problem_document_and_tells_no_secret",
            ),
            tried(
                "conformance/test_gemini_telemetry.py",
                "test_neither_key_nor_content_is_told_to_anybody",
            ),
            tried(
                "unit/monitor/test_api.py",
                "test_no_list_shows_a_payload_and_only_an_editor_may_look",
            ),
            tried(
                "system/test_when_all_is_over.py",
                "test_every_promise_was_kept",
                "test_a_secret_in_a_problem_or_a_span_would_have_been_heard",
                "test_a_problem_that_the_client_is_answered_with_is_listened_to",
            ),
            tried(
                "system/test_when_a_document_is_traced.py",
                "test_what_a_client_said_stands_in_no_span_and_no_metric",
            ),
            tried(
                "crashes/test_every_instant.py",
                "test_nothing_is_lost_and_nothing_is_there_twice",
            ),
        ),
    ),
    Fault(
        "S26",
        "somebody who spends all the money or takes all the time",
        "Each key has a rate and a day's quota, all calls together a ceiling; beyond it no "
        "call is made.",
        (
            tried(
                "unit/shared/test_web_rates.py",
                "test_who_asks_too_often_is_told_how_long_to_wait",
                "test_every_answer_says_what_is_left",
            ),
            tried("broker/test_key_rates.py", "test_two_replicas_give_out_one_burst"),
            tried(
                "unit/ingest/test_api_quotas.py",
                "test_beyond_the_documents_of_the_day_nothing_is_even_read",
            ),
            tried(
                "broker/test_protected_provider.py",
                "test_a_spent_day_ends_the_calls_of_all_replicas",
            ),
        ),
    ),
    Fault(
        "S27",
        "an operator who destroys by mistake, or on purpose",
        "Looking, sending back, mending and purging are rights of their own; first a dry run, "
        "always a reason, and every attempt is on record.",
        (
            tried(
                OPERATIONS,
                "test_a_dry_run_says_what_would_be_found_and_does_nothing",
                "test_each_kind_needs_a_right_of_its_own",
                "test_whoever_tries_what_he_may_not_is_on_record",
                "test_who_may_not_purge_cannot_steer_a_purge",
            ),
            tried(
                "system/test_when_somebody_may_only_look.py",
                "test_who_may_only_look_sees_all_but_payloads_and_can_do_nothing",
            ),
        ),
    ),
    Fault(
        "S28",
        "somebody who makes the record say something else",
        "Lines are added and never altered, by nobody, and each proves the one before it; an "
        "exported head catches what was cut off.",
        (
            tried(
                "broker/test_audit.py",
                "test_nobody_changes_the_log_not_even_its_owner",
                "test_what_a_superuser_did_is_named_by_its_first_line",
                "test_a_cleverly_cut_log_is_caught_by_a_head_that_was_exported",
            ),
            tried(
                "broker/test_review_sql.py",
                "test_the_service_itself_cannot_rewrite_its_audit_log",
            ),
            tried(
                "system/test_when_a_promise_is_broken_outside.py",
                "test_an_audit_log_that_was_written_anew_is_named_by_the_head_that_was_kept",
            ),
        ),
    ),
    Fault(
        "S29",
        "somebody who approves what they handed in themselves",
        "Who corrected and who decided is on record by name; where two persons are asked for, "
        "neither who handed it in nor who changed it approves it, on whichever way.",
        (
            tried(
                "unit/review/test_approving.py",
                "test_an_approval_of_a_value_that_a_person_changed_is_a_correction",
            ),
            tried(
                "unit/review/test_four_eyes.py",
                "test_whoever_handed_it_in_does_not_approve_it_and_another_does",
                "test_whoever_changed_a_value_does_not_approve_it_and_another_does",
                "test_no_reason_and_no_lead_overrides_it",
                "test_a_reopened_document_asks_for_two_persons_again",
                "test_a_total_that_was_made_smaller_by_hand_is_still_the_one_that_was_read",
                "test_the_machine_is_nobodys_second_person",
            ),
            tried(
                "conformance/test_review_decisions.py",
                "test_whose_hand_a_form_is_in_is_known",
            ),
            tried(
                "system/test_when_two_persons_are_asked_for.py",
                "test_neither_who_handed_it_in_nor_who_corrected_it_approves_it",
            ),
        ),
    ),
)
