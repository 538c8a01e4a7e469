"""F1 to F13: a process dies, is told to end, or stops for a while and comes back."""

from tests.faults.fault import Fault, tried

KILLED_STEPS = "system/test_when_ingest_is_killed_at_a_step.py"
KILLED = "system/test_when_a_service_is_killed.py"
CONSUMER = "broker/test_when_a_consumer_is_killed.py"
EVERYTHING = "system/test_when_everything_happens_at_once.py"
INSTANTS = tried(
    "crashes/test_every_instant.py", "test_nothing_is_lost_and_nothing_is_there_twice"
)
SOAK = "soak/test_steady_work_and_restarts.py"
SOME_INSTANTS = tried(
    "system/test_when_a_process_dies_at_an_instant.py",
    "test_nothing_is_lost_and_nothing_is_there_twice",
)
SAME_BYTES = "system/test_when_the_same_bytes_come_often.py"
HELD_BACK = "test_while_the_broker_holds_us_back_the_outcome_is_unknown_and_consuming_goes_on"

FAULTS = (
    Fault(
        "F1",
        "ingest dies after the bytes are stored, before the commit",
        "The client sees a broken connection and nothing was promised; the same request again "
        "is one document; bytes that nobody came back for are erased after a day.",
        (
            tried(KILLED_STEPS, "test_an_upload_is_one_document"),
            tried(
                "broker/test_ingest_orphans.py",
                "test_only_what_no_document_has_is_noted_and_erased_in_time",
            ),
            INSTANTS,
        ),
    ),
    Fault(
        "F2",
        "ingest dies after the commit, before the answer",
        "The same key gets the same document; the same bytes without a key are another "
        "document that ends as a duplicate.",
        (
            tried(KILLED_STEPS, "test_an_upload_is_one_document", "test_a_batch_is_one_batch"),
            tried(KILLED, "test_an_upload_cut_off_and_repeated_is_one_document"),
            tried(
                "system/test_when_a_document_is_uploaded.py",
                "test_the_same_bytes_again_are_a_duplicate_and_not_read_again",
            ),
            INSTANTS,
            SOME_INSTANTS,
        ),
    ),
    Fault(
        "F3",
        "the relay dies with rows claimed, before it publishes",
        "Its claim was a row lock and dies with it; whoever relays next sends them.",
        (
            tried(
                CONSUMER,
                "test_a_relay_killed_at_any_step_loses_nothing_and_doubles_no_effect",
            ),
            tried(
                "broker/test_relay.py",
                "test_several_relays_share_the_work_and_double_nothing",
            ),
            INSTANTS,
        ),
    ),
    Fault(
        "F4",
        "the relay loses the broker after publishing, before the confirm",
        "The outcome is unknown, so the rows stay and are sent again; the copy has no effect.",
        (
            tried(
                "broker/test_relay.py",
                "test_a_connection_that_falls_silent_does_not_end_the_relay",
            ),
            tried(
                "broker/test_when_the_way_to_the_broker_is_bad.py",
                "test_what_was_not_confirmed_is_sent_again_and_its_copy_is_dropped",
                "test_what_was_cut_in_the_middle_of_a_frame_is_not_there_and_then_whole",
            ),
            tried(
                "broker/test_publisher.py",
                HELD_BACK,
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
        lacks="No process is killed in this very gap.",
    ),
    Fault(
        "F5",
        "the relay dies after the confirm, before the rows are deleted",
        "They are sent again, and the inbox lets the copy pass without an effect.",
        (
            tried(
                CONSUMER,
                "test_a_relay_killed_at_any_step_loses_nothing_and_doubles_no_effect",
            ),
            INSTANTS,
            SOME_INSTANTS,
        ),
    ),
    Fault(
        "F6",
        "the extractor dies before it asks the model",
        "The order comes again and the model is asked once.",
        (
            tried(CONSUMER, "test_killed_at_any_step_every_job_is_done_exactly_once"),
            tried(KILLED, "test_every_document_ends_once"),
            INSTANTS,
        ),
    ),
    Fault(
        "F7",
        "the extractor dies after the answer, before it is kept",
        "One more call, and no more; once the answer is kept, a death costs none.",
        (
            tried(
                SAME_BYTES,
                "test_a_reader_killed_after_the_engine_answered_is_followed_by_another",
            ),
            tried(
                "unit/extractor/test_extract_document.py",
                "test_a_crash_after_the_answer_costs_no_second_call_and_is_no_duplicate",
                "test_a_crash_after_a_forced_reading_costs_no_second_call",
            ),
            INSTANTS,
        ),
    ),
    Fault(
        "F8",
        "a consumer dies after the commit, before the acknowledgement",
        "The message comes again and is recognised: acknowledged, without an effect.",
        (
            tried(CONSUMER, "test_killed_at_any_step_every_job_is_done_exactly_once"),
            INSTANTS,
            SOME_INSTANTS,
        ),
    ),
    Fault(
        "F9",
        "storage dies between two files, or before or after its commit",
        "The next delivery writes the same bytes to the same places; readers see only what is "
        "committed, and no file is torn.",
        (
            tried(
                "broker/test_when_storage_is_killed.py",
                "test_what_was_begun_is_done_once_and_whole",
                "test_what_a_killed_writer_left_of_a_withdrawn_document_is_collected",
                "test_somebody_dies_at_every_step",
            ),
            tried(
                "broker/test_when_storage_is_killed_while_it_erases.py",
                "test_an_erasure_that_was_cut_off_is_gone_on_with",
            ),
            INSTANTS,
        ),
    ),
    Fault(
        "F10",
        "review dies in the middle of a correction or decision, or right after it",
        "All of it or nothing; whoever asks again is shown what was kept, and it is done once.",
        (
            tried(
                "broker/test_when_review_is_killed.py",
                "test_a_deed_is_all_or_nothing_and_done_once",
                "test_a_correction_is_all_or_nothing_and_a_retry_is_shown_what_was_kept",
            ),
            INSTANTS,
            SOME_INSTANTS,
        ),
    ),
    Fault(
        "F11",
        "the monitor dies in any step of a replay of many letters",
        "The operation goes on from its rows: no letter is forgotten, none is sent twice.",
        (
            tried(
                "broker/test_when_the_monitor_is_killed_while_it_operates.py",
                "test_each_letter_is_sent_once",
                "test_an_operation_ends_when_the_last_outcome_is_told",
                "test_a_purge_that_is_cut_off_goes_on",
            ),
            INSTANTS,
            SOME_INSTANTS,
        ),
    ),
    Fault(
        "F12",
        "a process is told to end while it works, and killed when its time is over",
        "It takes nothing more, says that it is not ready, finishes what is in hand or gives "
        "it back; nothing is half done and no start is counted.",
        (
            tried(SOAK, "test_all_comes_to_its_end_and_nothing_grows"),
            tried(
                "system/test_when_the_stack_is_stopped.py",
                "test_what_is_in_hand_is_finished_and_the_rest_goes_on",
            ),
            tried(
                "broker/test_draining.py",
                "test_what_is_in_hand_is_finished_before_the_process_leaves",
                "test_what_does_not_end_in_time_goes_back_and_counts_no_start",
                "test_a_stop_under_load_loses_nothing_and_doubles_nothing",
                "test_a_batch_in_hand_is_committed_and_the_rest_goes_back",
            ),
            tried("unit/shared/test_probes.py", "test_a_draining_process_is_unready_and_alive"),
        ),
    ),
    Fault(
        "F13",
        "a process freezes past its lease and its heartbeat, and wakes up again",
        "Whoever took over counts; what the sleeper still commits changes nothing.",
        (
            tried(
                "conformance/test_processed_documents.py",
                "test_who_was_taken_for_dead_keeps_nothing_and_disturbs_nobody",
                "test_who_was_taken_for_dead_is_fenced_off_also_when_the_heir_has_ended",
            ),
            tried(
                "unit/extractor/test_leasing.py",
                "test_who_was_taken_for_dead_leaves_the_answer_to_the_heir",
            ),
            tried(
                "conformance/test_exports_kept.py",
                "test_who_lost_its_lease_neither_goes_on_nor_completes",
            ),
            tried(EVERYTHING, "test_every_promise_is_kept_once"),
            INSTANTS,
            SOME_INSTANTS,
        ),
        lacks="That its heartbeat is missed is what the broker is told, and not waited for.",
    ),
)
