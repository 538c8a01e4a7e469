"""F40 to F50: messages and people that come twice, at once, or in the wrong order."""

from tests.faults.fault import Fault, tried

OUTCOMES = "broker/test_consumer_outcomes.py"
SAME_BYTES = "system/test_when_the_same_bytes_come_often.py"
CANCELLED = "system/test_when_a_document_is_cancelled.py"
FIELDS = "broker/test_review_fields.py"
MACHINES = "unit/models/test_machines.py"
SOAK = "soak/test_steady_work_and_restarts.py"
TAKEN_BACK = "test_stored_and_before_a_person_it_is_taken_back_while_nobody_has_told_the_client"

FAULTS = (
    Fault(
        "F40",
        "every message comes several times",
        "The same end and the same counts.",
        (
            tried(MACHINES, "test_it_does_what_its_model_does"),
            tried(OUTCOMES, "test_a_message_doubled_on_the_way_has_one_effect"),
            tried("broker/test_batches.py", "test_a_copy_within_one_batch_has_one_effect"),
            tried(
                "conformance/test_job_record.py",
                "test_a_job_is_done_once",
                "test_two_copies_that_fail_at_once_leave_one_letter",
            ),
            tried(
                "broker/test_ingest_facts.py",
                "test_a_document_ends_once_however_often_it_is_told",
            ),
            tried(
                "system/test_when_everything_happens_at_once.py",
                "test_every_promise_is_kept_once",
            ),
        ),
        lacks="Of a whole stack the messages of some seconds come twice, not all of them.",
    ),
    Fault(
        "F41",
        "messages come in another order than they were sent",
        "Every order of a document's facts ends in the same state; what comes late moves "
        "nothing backwards.",
        (
            tried(MACHINES, "test_it_does_what_its_model_does"),
            tried(
                "broker/test_ingest_facts.py",
                "test_every_order_of_a_documents_facts_ends_in_the_same_state",
                "test_facts_move_a_document_forwards_only",
            ),
            tried(
                "broker/test_review_decisions.py",
                "test_a_decision_and_a_new_reading_in_either_order",
            ),
            tried(
                "conformance/test_stored_results.py",
                "test_decisions_are_numbered_by_what_they_judged_whatever_order_they_come_in",
            ),
            tried(
                "broker/test_ingest_endings.py",
                "test_no_late_fact_moves_a_cancelled_document",
            ),
        ),
    ),
    Fault(
        "F42",
        "messages are delivered again and again, because their consumers keep dying",
        "Nothing is put back by hand; starts are counted, the guilty one is found and taken "
        "out, and its neighbours are done.",
        (
            tried(
                "broker/test_when_a_consumer_is_killed.py",
                "test_a_message_that_kills_its_process_is_dead_after_three_starts_and_alone",
            ),
            tried(
                "unit/shared/test_crash_ledger.py",
                "test_a_redelivered_message_counts_its_starts_until_it_is_settled",
                "test_a_first_delivery_interrupted_by_a_shutdown_leaves_no_suspicion",
            ),
        ),
        lacks="Nobody kills consumers every few seconds for long, and no rate is alerted on.",
    ),
    Fault(
        "F43",
        "a document makes its reader crash, hang, or take all memory",
        "A child of its own dies, and the document fails with what it did; the process lives. "
        "What kills the process itself is taken out after three deaths.",
        (
            tried(SOAK, "test_all_comes_to_its_end_and_nothing_grows"),
            tried(
                "unit/shared/test_sandbox.py",
                "test_whatever_ends_the_child_is_an_outcome",
                "test_a_crash_of_one_document_is_not_noticed_by_the_others",
            ),
            tried(
                "unit/extractor/test_hostile_files.py",
                "test_a_bomb_ends_with_an_outcome",
                "test_a_loop_or_a_lie_ends_with_an_outcome",
                "test_good_documents_do_not_notice_bad_ones_beside_them",
                "test_hundreds_of_broken_documents_leave_no_memory_behind_in_the_parent",
            ),
            tried(
                "unit/extractor/test_hostile_pictures.py",
                "test_whatever_is_looked_at_ends_with_an_outcome_and_costs_the_parent_nothing",
            ),
            tried(
                SAME_BYTES,
                "test_a_document_that_kills_every_reader_is_taken_out_after_three_deaths",
            ),
        ),
    ),
    Fault(
        "F44",
        "a message of an unknown type, a newer version, or that cannot be read",
        "A newer version of a known type waits for an hour; everything else is a dead letter "
        "at once, byte for byte, and can be sent back after an update.",
        (
            tried(
                OUTCOMES,
                "test_what_cannot_be_read_is_kept_byte_for_byte",
                "test_an_unknown_type_and_a_wrong_content_type_die_at_once",
                "test_a_newer_version_waits_for_somebody_who_knows_it",
            ),
            tried("unit/shared/test_decision.py", "test_a_newer_version_waits_for_an_hour"),
        ),
    ),
    Fault(
        "F45",
        "old and new code run beside each other, and the new one is taken back",
        "Each reads what the other writes; migrations expand first, and old code bears them.",
        (
            tried(
                "unit/shared/test_envelope.py",
                "test_a_reader_ignores_what_a_newer_minor_has_added",
            ),
            tried(
                "unit/shared/test_upcasts.py",
                "test_every_published_major_has_its_way_to_the_newest",
            ),
            tried(
                "broker/test_database_migrations.py",
                "test_older_code_accepts_a_newer_schema",
            ),
            tried(
                "upgrade/test_when_the_stack_is_upgraded.py",
                "test_documents_end_in_every_mix_of_two_versions_there_and_back",
            ),
        ),
    ),
    Fault(
        "F46",
        "the same file a thousand times at once",
        "One is read, with one call; all others are its duplicates, each with a review item.",
        (
            tried(
                SAME_BYTES,
                "test_of_many_copies_one_is_read_and_all_can_be_reviewed",
                "test_a_thousand_copies_at_three_doors_are_one_engine_call",
                "test_fifty_requests_under_one_key_at_three_doors_are_one_document",
            ),
            tried(
                "broker/test_when_a_provider_is_away.py",
                "test_copies_of_one_file_cost_one_call",
            ),
        ),
    ),
    Fault(
        "F47",
        "a replay is asked for twice: by two people, by group and by name, of two monitors",
        "Each letter goes back once; who comes second is told of the first. Mended, the letter "
        "itself is never sent again.",
        (
            tried(MACHINES, "test_it_does_what_its_model_does"),
            tried(
                "broker/test_replays_asked_for_from_all_sides.py",
                "test_each_letter_is_applied_once",
                "test_each_letter_is_applied_once_a_hundred_times",
            ),
            tried(
                "conformance/test_operations.py",
                "test_letters_of_an_active_operation_are_not_promised_to_another",
                "test_many_who_ask_at_once_get_one_operation",
            ),
            tried(
                "conformance/test_edited_letters.py",
                "test_of_those_who_mend_and_replay_one_sends",
            ),
            tried(
                "system/test_when_a_document_cannot_be_read.py",
                "test_a_replay_asked_for_twice_has_one_effect",
            ),
        ),
    ),
    Fault(
        "F48",
        "a document is cancelled at any stage, also while it is read",
        "Either it is cancelled and nothing of it is left, or it has ended and the cancel is "
        "refused.",
        (
            tried(
                CANCELLED,
                "test_held_or_on_its_way_it_is_never_read_and_the_others_are",
                "test_in_hand_it_is_cancelled_and_nothing_of_it_is_left",
                TAKEN_BACK,
                "test_what_waits_for_a_person_or_was_decided_keeps_its_end",
            ),
            tried("broker/test_ingest_endings.py", "test_of_a_cancel_and_a_result_one_wins"),
        ),
    ),
    Fault(
        "F49",
        "fifty people want one item, and a claim ends while its holder saves",
        "One has it; the others are told. Whose claim ended overwrites nothing, and loses "
        "nothing.",
        (
            tried(
                "broker/test_review_claims.py",
                "test_50_reviewers_in_two_processes_are_lent_200_items_once_each",
                "test_of_many_who_claim_one_item_by_its_name_one_gets_it",
            ),
            tried(
                "broker/test_review_decisions.py",
                "test_fifty_people_decide_one_item_and_one_of_them_did",
                "test_whoever_lost_the_lease_decides_nothing_while_another_holds_it",
            ),
            tried(
                "system/test_when_changes_collide.py",
                "test_a_hold_that_ended_is_told_and_nothing_is_overwritten",
                "test_who_changes_what_another_has_changed_sees_both",
            ),
        ),
    ),
    Fault(
        "F50",
        "a person corrects while the document is read anew, in either order",
        "The person's value stays and is locked; the machine's is a candidate.",
        (
            tried(MACHINES, "test_it_does_what_its_model_does"),
            tried(
                FIELDS,
                "test_a_reading_anew_and_a_correction_at_once_leave_the_persons_value",
                "test_the_database_itself_refuses_a_machine",
                "test_a_row_of_its_own_gets_no_machine_past_a_lock",
            ),
            tried(
                "system/test_when_a_corrected_document_comes_again.py",
                "test_the_persons_value_stays_and_the_machines_is_a_candidate",
            ),
        ),
    ),
)
