"""F14 to F24: the broker goes away, holds back, loses a queue or its sense of time."""

from tests.faults.fault import Fault, tried

NODES = "brokers/test_when_nodes_of_the_broker_die.py"
CUTS = "cuts/test_when_the_network_is_cut.py"
WAY = "broker/test_when_the_way_to_the_broker_is_bad.py"
RELAY = "broker/test_relay.py"
PUBLISHER = "broker/test_publisher.py"
LOST = "broker/test_lost_consumers.py"
TROUBLE = "system/test_when_something_goes_wrong.py"
HELD_BACK = "test_while_the_broker_holds_us_back_the_outcome_is_unknown_and_consuming_goes_on"

FAULTS = (
    Fault(
        "F14",
        "the one broker restarts, or is killed, under load",
        "Uploads are accepted all the while; what is owed goes out when it is back, consumers "
        "come back by themselves, and every document ends once.",
        (
            tried(
                "system/test_when_the_broker_restarts.py",
                "test_no_document_is_lost_or_doubled",
            ),
            tried(
                "broker/test_when_a_server_restarts.py",
                "test_nothing_is_lost_and_nothing_is_done_twice",
            ),
        ),
    ),
    Fault(
        "F15",
        "of three brokers the leader is killed",
        "Publishing stands still for at most five seconds, and nothing is lost.",
        (
            tried(
                NODES,
                "test_every_work_queue_is_on_all_nodes",
                "test_no_document_is_lost_or_doubled_while_one_after_the_other_goes",
            ),
            tried(CUTS, "test_when_a_leader_is_killed_others_go_on_within_seconds"),
        ),
    ),
    Fault(
        "F16",
        "the cluster is cut in parts, in any shape",
        "The majority goes on; who is with the minority finds another host; when it is whole "
        "again all queues run empty.",
        (
            tried(CUTS, "test_no_document_is_lost_or_doubled_and_a_majority_goes_on"),
            tried(NODES, "test_without_a_majority_documents_wait_and_none_is_lost"),
        ),
        lacks="How long clients of the minority wait is told and not judged: 20 s are wished "
        "for, and on RabbitMQ 4.0 it was 23 s.",
    ),
    Fault(
        "F17",
        "the broker runs out of memory and holds back whoever publishes",
        "Taking and acknowledging go on; what was published meanwhile is unknown and sent "
        "again; nothing piles up in memory, and somebody is called.",
        (
            tried(
                RELAY,
                "test_while_the_broker_holds_us_back_rows_stay_and_go_out_afterwards",
            ),
            tried(
                PUBLISHER,
                HELD_BACK,
            ),
            tried(
                TROUBLE,
                "test_a_broker_that_takes_nothing_calls_somebody_and_so_does_what_is_owed",
            ),
        ),
        lacks="How much memory a process takes meanwhile is not measured.",
    ),
    Fault(
        "F18",
        "the disk of the broker is full",
        "As when its memory is: everything waits, and goes on without a restart.",
        (
            tried(
                RELAY,
                "test_while_the_broker_holds_us_back_rows_stay_and_go_out_afterwards",
            ),
            tried(PUBLISHER, HELD_BACK),
        ),
        lacks="The alarm is raised by its limit; no disk is really full.",
    ),
    Fault(
        "F19",
        "the broker freezes, or a connection to it is half open",
        "It is noticed within 35 s; the connection is made anew and the consumers are back.",
        (
            tried(RELAY, "test_a_connection_that_falls_silent_does_not_end_the_relay"),
            tried(LOST, "test_a_connection_closed_by_the_broker_is_made_again"),
            tried(
                WAY, "test_a_connection_that_fell_silent_is_noticed_and_its_consumer_is_back"
            ),
            tried(CUTS, "test_no_document_is_lost_or_doubled_and_a_majority_goes_on"),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
        lacks="Only the third of these and the cuts are silent for as long as that, and the "
        "third bears 40 s; the others close the connection, or are silent for less.",
    ),
    Fault(
        "F20",
        "a binding or a queue is deleted",
        "Whoever publishes is told: the row is parked, somebody is called, and it is sent once "
        "the binding is there again. What comes from outside is caught in `unroutable`.",
        (
            tried(
                RELAY,
                "test_what_has_no_queue_is_parked_and_sent_after_the_binding_is_repaired",
                "test_one_message_for_nobody_does_not_hold_up_its_neighbours",
            ),
            tried(
                PUBLISHER,
                "test_a_message_without_a_queue_is_noticed",
                "test_among_many_in_flight_exactly_the_unroutable_are_returned",
            ),
            tried(LOST, "test_a_queue_deleted_and_declared_again_is_consumed_again"),
            tried(
                "broker/test_topology_on_a_broker.py",
                "test_a_binding_taken_away_or_added_by_hand_is_found",
            ),
            tried(
                "system/test_when_a_promise_is_broken_outside.py",
                "test_a_binding_that_is_gone_is_named",
            ),
            tried(
                TROUBLE,
                "test_a_message_without_a_home_calls_somebody",
                "test_a_parked_message_calls_somebody_until_it_is_gone",
            ),
        ),
    ),
    Fault(
        "F21",
        "a message is larger than one may be",
        "It is parked and never sent; its neighbours go on.",
        (tried(RELAY, "test_an_oversize_row_is_parked_and_its_neighbours_are_sent"),),
    ),
    Fault(
        "F22",
        "a delivery is not acknowledged for longer than the broker bears",
        "It never comes so far: a handler has a limit of its own, far below; if the channel is "
        "closed all the same, the work is recognised or done again.",
        (
            tried(
                "broker/test_consumer_outcomes.py",
                "test_a_handler_past_its_time_is_cancelled_and_tried_again",
            ),
            tried(
                "unit/shared/test_running.py",
                "test_at_its_limit_a_handler_is_cancelled_and_may_be_tried_again",
                "test_a_handler_that_ignores_its_cancellation_ends_the_process",
            ),
        ),
        lacks="The broker's own timeout is never reached.",
    ),
    Fault(
        "F23",
        "where dead letters or delayed messages go is away or full",
        "What cannot go on stays where it is; nothing that a rung can reach may refuse, so no "
        "one message holds up the others.",
        (
            tried(
                "broker/test_ladder_timing.py",
                "test_a_message_for_nobody_does_not_hold_up_the_rung",
            ),
            tried("unit/shared/test_plan.py", "test_nothing_that_a_rung_can_reach_may_refuse"),
            tried(
                "house/test_topology.py",
                "test_no_queue_refuses_or_drops_for_being_full",
                "test_what_a_queue_gives_up_finds_a_dead_queue",
            ),
            tried(
                "broker/test_topology_on_a_broker.py",
                "test_what_would_leave_for_an_exchange_that_is_missing_is_kept",
            ),
        ),
        lacks="Taken away is the exchange behind a rung, not that of the dead.",
    ),
    Fault(
        "F24",
        "many different waits at once, and a clock that jumps",
        "A wait is never short and at most one step of the ladder long, whoever else waits.",
        (
            tried(
                "broker/test_ladder_timing.py",
                "test_mixed_delays_in_flight_all_come_home_on_time",
                "test_priority_survives_the_ladder",
            ),
            tried(
                "unit/shared/test_ladder.py",
                "test_a_wait_is_never_short_and_at_most_one_unit_long",
            ),
        ),
        lacks="The clock of the broker's host is never moved.",
    ),
)
