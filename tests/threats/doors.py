"""S1 to S7: keys, sessions and tokens, and what one may do with whose."""

from tests.faults.fault import Fault, tried

MATRIX = "unit/shared/test_access_matrix.py"
SESSION = "unit/shared/test_web_session.py"
ENTRANCE = "unit/shared/test_web_entrance.py"
SESSIONS = "broker/test_access_sessions.py"
ACCESS = "broker/test_access.py"
GATE = "unit/shared/test_web_gate.py"
JWKS = "unit/shared/test_web_jwks.py"

THREATS = (
    Fault(
        "S1",
        "a route that somebody forgot to close",
        "Every route asks for a permission or stands on the list of those that are open; one "
        "without a policy cannot be made.",
        (
            tried(GATE, "test_a_route_without_a_policy_cannot_be_made"),
            tried(
                MATRIX,
                "test_without_a_key_that_lives_only_what_is_listed_opens",
                "test_a_route_opens_for_its_roles_and_for_no_other",
            ),
        ),
    ),
    Fault(
        "S2",
        "the document of somebody else, by its id",
        "It is as absent as one that never was, on every route that takes an id.",
        (
            tried(
                "unit/shared/test_access_of_owners.py",
                "test_what_belongs_to_somebody_else_is_as_absent_as_what_never_was",
                "test_every_route_with_an_id_of_a_client_is_among_those",
                "test_what_storage_has_of_somebody_else_is_as_absent_as_what_never_was",
                "test_every_route_of_storage_with_an_id_is_among_those",
            ),
            tried(
                "unit/ingest/test_api_doors.py",
                "test_a_strangers_document_is_as_absent_as_one_that_never_was",
                "test_seeing_a_document_is_not_having_its_bytes",
            ),
            tried(
                "unit/storage/test_api_consumers.py",
                "test_a_stranger_gets_neither_batch_nor_receipt_of_another",
            ),
            tried(MATRIX, "test_a_route_opens_for_its_roles_and_for_no_other"),
        ),
    ),
    Fault(
        "S3",
        "a field in a request that is not for the client to set",
        "What a request may say is a model of its own, and anything else in it is refused.",
        (
            tried(
                "contract/test_requests.py",
                "test_a_request_says_nothing_that_its_model_does_not_know",
            ),
            tried(
                "system/test_when_a_client_sends_anything.py",
                "test_every_answer_is_one_that_is_described",
            ),
            tried("broker/test_review_fields.py", "test_the_database_itself_refuses_a_machine"),
        ),
    ),
    Fault(
        "S4",
        "a key that is guessed, found in a dump, or used after its end",
        "256 random bits of which the database knows the digest only; shown once, revoked "
        "within five seconds everywhere.",
        (
            tried(
                ACCESS,
                "test_a_wrong_secret_opens_nothing",
                "test_whether_there_is_such_a_key_makes_no_difference_to_what_is_done",
                "test_a_dump_of_the_database_opens_nothing",
                "test_a_revoked_key_dies_at_once_here_and_in_two_seconds_elsewhere",
                "test_what_was_revoked_is_dead_everywhere_within_five_seconds",
                "test_a_scope_narrows_a_key",
                "test_a_key_ends_with_its_lifetime_by_the_clock_of_the_database",
                "test_keys_are_listed_without_what_opens_them",
            ),
        ),
    ),
    Fault(
        "S5",
        "a token that the provider never signed, or signed for somebody else",
        "Issuer, audience, algorithm and times have to fit; keys come from one address, the "
        "last good ones are kept, and none that a token names is asked.",
        (
            tried(
                "unit/shared/test_web_forged_tokens.py",
                "test_a_token_that_does_not_fit_opens_nothing",
                "test_an_address_that_a_token_names_is_never_asked",
                "test_what_could_never_be_right_makes_nobody_ask_the_provider",
            ),
            tried(
                JWKS,
                "test_a_bad_answer_takes_no_good_key_away",
                "test_what_cannot_verify_a_token_is_no_key",
                "test_a_key_that_was_withdrawn_dies_within_ten_minutes",
            ),
            tried("unit/shared/test_web_tokens.py", "test_a_token_ends_when_it_says"),
        ),
    ),
    Fault(
        "S6",
        "a session that is stolen, fixed beforehand, or never ends",
        "It lives on the server, in a cookie that no script reads; it ends with its key, its "
        "role, half an hour of silence and a day's work.",
        (
            tried(
                SESSION,
                "test_a_key_is_exchanged_for_a_cookie_no_script_can_read",
                "test_beyond_the_own_machine_the_cookie_is_bound_to_host_and_tls",
                "test_an_ended_session_opens_nothing",
            ),
            tried(
                SESSIONS,
                "test_signing_out_ends_the_session_on_the_server",
                "test_a_revoked_key_takes_its_sessions_along",
                "test_a_session_never_outlives_its_key",
                "test_half_an_hour_without_a_click_ends_a_session",
                "test_clicks_do_not_keep_a_session_for_ever",
            ),
            tried(
                "broker/test_access_people.py",
                "test_another_role_ends_what_was_open_under_the_one_before",
            ),
        ),
    ),
    Fault(
        "S7",
        "another site's page that acts with the cookie of who looks at it",
        "A change needs the word of its session and comes from a page of the service itself; a "
        "key is never taken from a cookie.",
        (
            tried(
                SESSION,
                "test_a_forged_request_changes_nothing",
                "test_the_word_of_one_session_is_not_that_of_another",
                "test_another_site_signs_nobody_in",
                "test_a_key_in_the_header_decides_alone",
            ),
            tried(ENTRANCE, "test_only_a_page_of_the_service_itself_changes_something"),
        ),
    ),
)
