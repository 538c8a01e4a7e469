"""F25 to F33: the database or the object store is away, slow, full, torn or wrong."""

from tests.faults.fault import Fault, tried

WAY = "broker/test_when_the_way_to_the_database_is_bad.py"
NETWORK = "conformance/test_blobs_s3_network.py"
TROUBLE = "broker/test_database_trouble.py"
OBJECTS = "broker/test_when_the_object_store_is_in_trouble.py"

FAULTS = (
    Fault(
        "F25",
        "the database restarts, or is killed, under load",
        "Uploads are refused with 503 and when to come again; consumers pause without burning "
        "an attempt; what was committed and looked like an error is found by its key.",
        (
            tried(
                "system/test_when_the_database_restarts.py",
                "test_no_document_is_lost_or_doubled",
            ),
            tried(
                "broker/test_when_a_server_restarts.py",
                "test_nothing_is_lost_and_nothing_is_done_twice",
            ),
            tried(
                TROUBLE,
                "test_a_connection_lost_in_a_transaction_is_an_absent_database",
                "test_a_connection_lost_before_the_commit_commits_nothing",
            ),
            tried(
                "broker/test_database_pool.py",
                "test_a_connection_that_dies_behind_a_commit_takes_nothing_back",
            ),
            tried(
                WAY,
                "test_a_commit_whose_answer_is_lost_is_an_error_and_has_happened",
                "test_a_commit_that_never_arrives_is_an_error_and_has_not_happened",
                "test_a_query_that_is_reset_in_its_middle_is_an_absent_database_and_the_next_is_well",
                "test_a_job_whose_commit_was_not_told_comes_again_and_is_not_done_again",
            ),
            tried(
                "broker/test_pauses.py",
                "test_a_dependency_that_is_away_pauses_the_queue_and_burns_no_attempt",
            ),
        ),
    ),
    Fault(
        "F26",
        "the database fails over to a replica",
        "With a synchronous one nothing is lost; with another the window of loss is known, and "
        "what was promised in it is named by the verification.",
        (
            tried(
                "broker/test_when_the_database_fails_over.py",
                "test_with_a_synchronous_replica_nothing_is_lost",
                "test_without_one_exactly_what_it_had_not_heard_of_is_lost",
            ),
        ),
        lacks="A queue and a ledger fail over, and no whole stack: that the verification names "
        "what was promised in the window is tried by nobody.",
    ),
    Fault(
        "F27",
        "all connections of a pool are taken",
        "Whoever waits gives up in time and comes back; nobody waits without an end.",
        (
            tried(TROUBLE, "test_an_exhausted_pool_gives_up_waiting"),
            tried(
                "broker/test_database_pool.py",
                "test_whoever_waits_gets_the_connection_and_not_the_next_who_comes",
            ),
        ),
    ),
    Fault(
        "F28",
        "two transactions want the same rows crosswise",
        "One of them is taken back whole and tried again; rows are taken in key order, so it "
        "is rare.",
        (
            tried(TROUBLE, "test_a_deadlock_is_bad_luck_for_one_of_the_two"),
            tried("broker/test_batches.py", "test_a_batch_that_lost_a_race_runs_again_whole"),
            tried("broker/test_ingest_erasing.py", "test_reports_and_erasing_do_not_dead_lock"),
            tried(
                "broker/test_monitor_erasing.py",
                "test_a_deletion_and_clicks_and_an_operation_do_not_dead_lock",
            ),
        ),
        lacks="The dead lock is real where one of the two is refused, and told by hand where a "
        "batch is run again whole; a serialization failure is made by nobody.",
    ),
    Fault(
        "F29",
        "the disk of the database is full",
        "Writing fails cleanly, reading works, nothing is promised and nothing acknowledged; "
        "it goes on when there is room.",
        (
            tried(
                "broker/test_when_the_disk_of_the_database_is_full.py",
                "test_it_stalls_and_goes_on_and_nothing_is_done_twice",
            ),
        ),
        lacks="While the disk is full no delivery is in flight: that none is acknowledged then "
        "is tried by nobody.",
    ),
    Fault(
        "F30",
        "the database answers late, or a session of it freezes",
        "Every statement, lock and wait has a limit of its own.",
        (
            tried(
                TROUBLE,
                "test_a_statement_that_takes_too_long_is_given_up",
                "test_a_row_locked_for_too_long_is_given_up",
            ),
            tried("broker/test_database_pool.py", "test_the_session_is_ours_and_has_limits"),
            tried(WAY, "test_a_slow_network_is_borne_up_to_the_limit_and_given_up_past_it"),
            tried(
                "unit/shared/test_batches.py",
                "test_a_shutdown_waits_for_a_silent_database_once_and_not_for_each",
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
        lacks="The server is frozen whole and for five seconds at most, never one session.",
    ),
    Fault(
        "F31",
        "the object store refuses, is slow, or does not answer",
        "A call that may be repeated is; then consumption pauses, no attempt is burnt, and "
        "nothing is half done.",
        (
            tried(
                OBJECTS,
                "test_a_store_that_refuses_connections_pauses_the_queue_until_it_is_back",
                "test_an_outage_pauses_the_queue_and_burns_no_attempt",
                "test_a_store_that_stumbles_stops_nobody",
            ),
            tried(
                NETWORK,
                "test_a_store_that_falls_silent_is_given_up_in_time",
                "test_a_put_that_stumbles_once_is_done",
                "test_an_outage_leaves_the_old_bytes_or_the_new_and_no_upload",
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
    ),
    Fault(
        "F32",
        "bytes arrive in part, or other than they were sent",
        "They are checked on their way in and out; what is torn is never named by a row.",
        (
            tried(OBJECTS, "test_a_connection_that_is_cut_at_any_byte_leaves_nothing_torn"),
            tried(
                "conformance/test_blobs_s3_server.py",
                "test_a_killed_upload_is_invisible_and_swept",
                "test_bytes_damaged_on_their_way_are_not_kept",
                "test_one_damaged_answer_condemns_no_document",
            ),
            tried(
                NETWORK,
                "test_bytes_that_are_others_on_their_way_out_are_noticed_and_asked_for_again",
                "test_bytes_that_are_others_on_their_way_in_are_not_kept",
            ),
            tried(
                "conformance/test_blobs.py",
                "test_a_reader_sees_the_old_bytes_or_the_new_and_never_a_mix",
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
    ),
    Fault(
        "F33",
        "a document's bytes are gone, or not what their name says",
        "It fails with that reason and can be sent back when they are there again; the model "
        "is not asked.",
        (
            tried(
                "conformance/test_blobs.py",
                "test_bytes_that_are_not_what_their_key_says_are_refused",
                "test_what_is_not_there_is_missing_and_not_an_outage",
            ),
            tried(
                "system/test_when_a_document_cannot_be_read.py",
                "test_a_replay_finishes_what_failed",
            ),
        ),
        lacks="With bytes that are wrong, nobody counts that the model was not asked.",
    ),
)
