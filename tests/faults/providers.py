"""F34 to F39: the provider of the model is throttled, away, slow, or says what is of no use."""

from tests.faults.fault import Fault, tried

PROTECTED = "broker/test_protected_provider.py"
AWAY = "broker/test_when_a_provider_is_away.py"
OUTCOMES = "conformance/test_gemini_outcomes.py"

FAULTS = (
    Fault(
        "F34",
        "the provider says: too many, come back in so long, or does not say when",
        "Nobody of all replicas calls before that, and it costs no document an attempt.",
        (
            tried(
                PROTECTED,
                "test_nobody_calls_before_the_hint_and_no_attempt_is_burnt",
                "test_without_a_hint_everybody_backs_off_and_no_attempt_is_burnt",
                "test_a_spent_day_ends_the_calls_of_all_replicas",
            ),
            tried(AWAY, "test_a_hint_of_the_provider_is_waited_for_on_the_ladder"),
            tried(OUTCOMES, "test_a_spent_quota_says_for_how_long"),
        ),
    ),
    Fault(
        "F35",
        "the provider fails again and again, for half an hour",
        "After five failures of all together the queue pauses; nothing dies, one call finds "
        "out when it is back, and past their patience documents go on without it.",
        (
            tried(
                AWAY,
                "test_in_an_outage_documents_wait_and_one_call_begins_the_work_again",
                "test_past_their_patience_documents_go_on_without_it_and_are_read_anew_later",
                "test_a_second_outage_pauses_the_queue_again",
            ),
            tried(
                PROTECTED,
                "test_five_failures_of_all_replicas_together_end_the_calls",
                "test_one_call_of_all_tells_whether_the_provider_is_back",
            ),
            tried(
                "system/test_when_an_operator_is_on_duty.py",
                "test_a_provider_was_away_and_nothing_is_lost",
            ),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
        lacks="It is away for seconds, and what would be waited is shorter by as much.",
    ),
    Fault(
        "F36",
        "the provider hangs, drips its answer, or hangs up in the middle",
        "The whole call has one deadline; what it cost is taken as paid.",
        (
            tried(
                OUTCOMES,
                "test_the_whole_call_has_one_deadline",
                "test_a_provider_that_does_not_listen_is_away",
                "test_a_provider_that_fails_is_away",
            ),
            tried(
                "conformance/test_gemini_network.py",
                "test_a_network_that_swallows_a_call_ends_with_its_deadline",
                "test_an_answer_that_is_reset_at_any_byte_is_away_and_is_not_asked_for_again",
                "test_a_question_that_is_reset_on_its_way_reaches_nobody_and_the_next_is_answered",
            ),
            tried(PROTECTED, "test_a_call_that_hangs_is_cut_off_and_counts_as_paid"),
            tried("nemesis/test_everything_at_once.py", "test_every_promise_is_kept_once"),
        ),
    ),
    Fault(
        "F37",
        "the answer is no answer: garbage, another form, without an end",
        "It is asked for once more, and then our own reading stands and says so; never a part.",
        (
            tried(
                OUTCOMES,
                "test_an_answer_of_no_use_is_asked_for_once_more",
                "test_twice_of_no_use_is_no_reading_and_never_a_part_of_one",
                "test_an_answer_without_end_is_cut_off_while_it_is_read",
            ),
            tried(
                PROTECTED,
                "test_an_answer_of_no_use_is_paid_for_and_is_no_failure_of_the_provider",
            ),
        ),
    ),
    Fault(
        "F38",
        "the answer is cut off, or empty",
        "That is seen by how it ended; it is asked for once more with more room, and a part is "
        "never taken.",
        (
            tried(
                OUTCOMES,
                "test_an_answer_of_no_use_is_asked_for_once_more",
                "test_twice_of_no_use_is_no_reading_and_never_a_part_of_one",
                "test_without_time_for_a_second_call_there_is_none",
            ),
        ),
    ),
    Fault(
        "F39",
        "the model refuses the document",
        "That is final and no retry: a finding that blocks, and a person who has to look.",
        (
            tried(
                OUTCOMES,
                "test_a_refusal_is_final_and_a_person_has_to_look",
                "test_a_refusal_after_a_useless_answer_pays_for_each_once",
            ),
            tried(
                "unit/extractor/test_chain.py",
                "test_a_model_that_refuses_leaves_a_finding_and_what_it_cost",
            ),
        ),
    ),
)
