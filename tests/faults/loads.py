"""F51 to F56: too much at once, somebody away, clocks, disks, and a hand in the rows."""

from tests.faults.fault import Fault, tried

LARGE = "system/test_when_uploads_are_large.py"

FAULTS = (
    Fault(
        "F51",
        "a million dead letters",
        "They are drained in bounded memory, listed page by page, sent back at the pace asked "
        "for, and stopped within two seconds.",
        (
            tried(
                "broker/test_operations_over_many_letters.py",
                "test_letters_that_are_named_are_written_down_at_once",
                "test_each_letter_is_written_down_once_however_many_steps_it_takes",
            ),
            tried(
                "broker/test_operation_pace.py",
                "test_the_time_that_a_step_takes_counts_for_its_pace",
            ),
            tried(
                "conformance/test_operations.py",
                "test_cancelled_it_sends_nothing_more_and_follows_what_it_sent",
            ),
        ),
        lacks="A million, and the two seconds, are what `./paperline bench monitor` measures.",
    ),
    Fault(
        "F52",
        "the monitor is away for an hour",
        "No document notices; letters and facts wait for it, and what was late meanwhile was "
        "late by the time at which it was said.",
        (
            tried("system/test_when_a_service_is_killed.py", "test_every_document_ends_once"),
            tried(
                "broker/test_monitor_duties.py",
                "test_late_is_who_came_to_no_end_in_time",
                "test_an_hour_is_counted_and_kept",
            ),
            tried(
                "system/test_when_something_goes_wrong.py",
                "test_a_monitor_that_is_silent_calls_somebody",
            ),
        ),
        lacks="It is back within seconds in each of them.",
    ),
    Fault(
        "F53",
        "the clocks of the services are hours apart",
        "The same ends as with right ones: decisions go by the clock of the database.",
        (
            tried(
                "system/test_when_clocks_are_apart.py",
                "test_every_document_ends_as_it_does_with_right_ones",
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
    ),
    Fault(
        "F54",
        "a service has no room on its disk, or may open no more files",
        "It refuses early, goes on reading, tells somebody, and recovers by itself.",
        (
            tried(
                "broker/test_when_the_disk_is_short.py",
                "test_storage_stalls_while_the_disk_is_short_and_goes_on_by_itself",
                "test_a_short_disk_is_told_of_before_anything_is_written",
            ),
            tried(
                "unit/shared/test_blobs_filesystem.py",
                "test_a_full_disk_leaves_no_draft_behind",
            ),
            tried(
                "system/test_when_something_goes_wrong.py",
                "test_a_disk_that_is_short_calls_somebody",
            ),
        ),
        lacks="A full disk of temporary files or of logs, and a limit of open files.",
    ),
    Fault(
        "F55",
        "slow clients, and hundreds of idle uploads",
        "Head, body and silence have limits, and so has how many are served at once; whoever "
        "is quick is served.",
        (
            tried(
                LARGE,
                "test_who_drips_is_cut_off_in_time_and_the_others_are_served",
                "test_three_hundred_megabytes_are_cut_at_the_limit_and_leave_nothing",
                "test_twenty_at_once_take_next_to_no_memory",
                "test_five_hundred_who_drip_leave_room_for_the_others",
            ),
            tried(
                "unit/shared/test_web_wire.py",
                "test_headers_that_drip_are_given_up",
                "test_a_connection_that_says_nothing_is_closed",
            ),
            tried(
                "unit/shared/test_web_gate.py",
                "test_a_body_that_drips_is_given_up",
                "test_more_requests_at_once_than_can_be_served_are_told_so",
            ),
        ),
        lacks="The 99th percentile beside 500 idle uploads is logged, not judged.",
    ),
    Fault(
        "F56",
        "somebody with all rights alters a row, or deletes a line of the audit log",
        "The first broken line is named, by the log's own command and by the verification.",
        (
            tried(
                "broker/test_audit.py",
                "test_what_a_superuser_did_is_named_by_its_first_line",
                "test_a_cleverly_cut_log_is_caught_by_a_head_that_was_exported",
            ),
            tried(
                "broker/test_audit_command.py",
                "test_the_log_is_proven_exported_and_an_altered_line_named",
            ),
            tried(
                "conformance/test_audit_log.py", "test_a_row_altered_by_the_superuser_is_named"
            ),
            tried(
                "system/test_when_a_promise_is_broken.py",
                "test_what_is_broken_at_rest_is_named_and_nothing_else",
            ),
        ),
    ),
)
