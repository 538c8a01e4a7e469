"""F57 to F60: what the design's matrix does not name, and what may happen all the same."""

from tests.faults.fault import Fault, tried

TLS = "broker/test_tls.py"
OBJECTS = "conformance/test_blobs_over_tls.py"
DOORS = "unit/shared/test_web_tls.py"
STARTING = "unit/local/test_starting.py"

FAULTS = (
    Fault(
        "F57",
        "the broker is lost with its disk, and all that was in its queues",
        "The queues are made anew, and the sweeper orders again whatever was on its way: each "
        "document ends once.",
        (
            tried(
                "system/test_when_the_broker_is_lost.py",
                "test_queues_are_made_anew_and_what_was_in_them_is_ordered_again",
            ),
        ),
        lacks="Letters that the monitor had not drained, and what waited on a rung, are not "
        "among what is lost there.",
    ),
    Fault(
        "F58",
        "database, broker and objects are lost at once",
        "A backup that was taken under load is restored elsewhere: what had been accepted "
        "before it comes to its end, what came later is brought again by its clients, and "
        "objects that are missing are named.",
        (
            tried(
                "system/test_when_everything_is_lost.py",
                "test_what_was_accepted_before_comes_back_and_clients_bring_the_rest",
            ),
            tried(
                "unit/local/test_archive.py",
                "test_a_damaged_object_is_named_and_stops_the_restore",
                "test_a_backup_that_was_cut_off_is_none",
            ),
            tried(
                "unit/local/test_restore.py",
                "test_nothing_of_a_stack_is_overwritten",
                "test_an_older_backup_is_taken_and_migrated_afterwards",
            ),
        ),
        lacks="Servers that are given have backups of their own; nobody here tries those.",
    ),
    Fault(
        "F59",
        "a server is not who it says it is, or somebody would speak in the clear",
        "On every way each side makes sure of the other: another authority, another name and "
        "an older TLS are hung up on before anything was said, and nothing plain is tried "
        "instead. A certificate that is replaced is shown without a restart.",
        (
            tried(
                TLS,
                "test_every_way_of_ours_is_closed_and_works",
                "test_a_broker_of_another_authority_is_not_believed",
                "test_a_broker_of_another_name_is_not_believed",
                "test_the_broker_takes_nothing_in_the_clear",
                "test_an_older_tls_is_refused",
                "test_a_database_of_another_authority_is_not_believed",
                "test_a_database_of_another_name_is_not_believed",
                "test_an_older_tls_is_refused_by_the_database_too",
                "test_what_would_be_plain_is_never_tried",
            ),
            tried(
                OBJECTS,
                "test_a_store_of_another_authority_is_told_nothing",
                "test_a_store_of_another_name_is_told_nothing",
                "test_in_the_clear_it_says_nothing",
            ),
            tried(
                DOORS,
                "test_it_takes_nothing_in_the_clear",
                "test_an_older_tls_is_refused",
                "test_somebody_who_believes_another_authority_does_not_come_in",
                "test_another_name_is_not_believed",
                "test_a_certificate_that_is_replaced_is_shown_from_then_on",
                "test_half_of_a_pair_takes_the_place_of_none",
                "test_the_ops_port_speaks_tls_too",
            ),
            tried(
                "system/test_when_everything_speaks_tls.py",
                "test_a_demo_reads_documents_with_nothing_in_the_clear",
            ),
            tried(
                "containers/test_the_stack_over_tls.py",
                "test_a_document_is_read",
                "test_nobody_is_answered_who_does_not_believe_it_or_speaks_plain",
            ),
        ),
        lacks="No certificate ends while documents go through.",
    ),
    Fault(
        "F60",
        "somebody takes a port after it was chosen, before ours listens there",
        "Whoever answers is not taken for ours; what found its port taken is started on "
        "another, a few times, and those who have to know are told. What ends for another "
        "reason is quoted.",
        (
            tried(
                STARTING,
                "test_somebody_else_at_the_port_is_not_taken_for_ours",
                "test_where_somebody_was_quicker_it_is_started_on_another_port",
                "test_it_is_not_tried_for_ever_and_then_says_what_to_do",
                "test_of_what_ends_the_last_words_are_told",
            ),
            tried(
                "broker/test_when_a_port_is_taken.py",
                "test_the_servers_come_up_on_another",
                "test_who_cannot_listen_is_not_said_to_be_there",
            ),
            tried(
                "system/test_when_a_port_is_taken.py",
                "test_it_comes_up_on_another_and_the_others_are_told",
            ),
        ),
    ),
)
