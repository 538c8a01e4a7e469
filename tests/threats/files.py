"""S8 to S22: what strangers put into a file or its name, from the upload to the export."""

from tests.faults.fault import Fault, tried

HOSTILE = "unit/extractor/test_hostile_files.py"
PICTURES = "unit/extractor/test_hostile_pictures.py"
FINER = "unit/extractor/test_hostile_finer.py"
HIDDEN = "unit/extractor/test_hidden_text.py"
CLAIMED = "unit/extractor/test_claimed_issuers.py"
CHAINS = "unit/shared/test_sandbox_chains.py"
SANDBOX = "unit/shared/test_sandbox.py"
COURIER = "unit/ingest/test_courier.py"
EXPORTS = "unit/storage/test_export_files.py"
GATE = "unit/shared/test_web_gate.py"
LARGE = "system/test_when_uploads_are_large.py"
TEXTS = tried(
    "system/test_when_a_text_is_hostile.py", "test_a_text_is_text_wherever_it_comes_from"
)
IN_THE_CONSOLE = tried(
    "system/test_when_the_console_is_shown.py",
    "test_a_text_is_text_in_names_reasons_and_messages",
)
CHILD = tried(
    CHAINS,
    "test_the_child_sees_no_secret_of_its_parent",
    "test_what_a_parser_never_needs_is_refused",
)

THREATS = (
    Fault(
        "S8",
        "a text that wants to become a program in somebody's browser",
        "It is text wherever it stands: name, vendor, line, reason or message; no page allows "
        "a script that is not ours.",
        (TEXTS, IN_THE_CONSOLE, tried(GATE, "test_every_answer_carries_the_security_headers")),
    ),
    Fault(
        "S9",
        "a file that is another kind than it says, or two kinds at once",
        "Its bytes decide; what is none of our formats is refused while it streams.",
        (
            tried(
                "unit/ingest/test_formats.py",
                "test_a_format_we_read_is_known_by_its_bytes",
                "test_anything_else_is_refused",
                "test_a_long_stream_is_refused_before_it_has_passed",
            ),
            tried(
                "unit/ingest/test_api.py",
                "test_what_is_none_of_our_formats_is_refused_whatever_it_calls_itself",
            ),
        ),
    ),
    Fault(
        "S10",
        "an original that is opened where it could act",
        "It is handed out to be kept, never shown; a reviewer sees pictures that we drew.",
        (
            tried(
                "unit/ingest/test_api.py",
                "test_the_original_is_handed_out_to_be_kept_and_never_shown",
            ),
            tried(
                "system/test_when_a_program_uploads.py",
                "test_an_original_is_kept_and_never_shown",
            ),
            tried(
                "unit/review/test_pages_api.py",
                "test_a_picture_is_private_lasting_and_nothing_but_a_picture",
            ),
        ),
    ),
    Fault(
        "S11",
        "a viewer of PDFs in the browser",
        "There is none: pages are pictures.",
        (
            tried(
                "unit/review/test_pages_api.py",
                "test_a_picture_is_private_lasting_and_nothing_but_a_picture",
            ),
        ),
    ),
    Fault(
        "S12",
        "a file name that leads elsewhere, or into a header",
        "It is kept to be recognised and for nothing else: cleaned, cut, and in no key.",
        (
            tried(
                "unit/ingest/test_documents.py",
                "test_a_filename_is_kept_only_to_be_recognised",
                "test_a_filename_without_end_is_cut",
            ),
            tried(
                "unit/ingest/test_api.py",
                "test_a_name_in_a_header_is_read_however_it_is_written",
            ),
        ),
    ),
    Fault(
        "S13",
        "uploads that fill the disk",
        "A limit while they stream, one for each key and day, and a floor of free space.",
        (
            tried(LARGE, "test_three_hundred_megabytes_are_cut_at_the_limit_and_leave_nothing"),
            tried(
                GATE,
                "test_a_body_without_a_length_is_cut_at_the_limit",
                "test_an_announced_length_over_the_limit_is_refused_before_reading",
            ),
            tried(
                "broker/test_quotas.py",
                "test_of_twice_as_many_uploads_exactly_the_quota_is_accepted",
                "test_bytes_are_counted_as_exactly",
            ),
            tried(
                "unit/shared/test_blobs_room.py",
                "test_a_disk_with_too_little_room_takes_nothing_and_gives_back_everything",
            ),
        ),
    ),
    Fault(
        "S14",
        "clients that drip, so that nobody else is served",
        "Head, body and silence have limits, and so has how many one key may have open.",
        (
            tried(
                LARGE,
                "test_who_drips_is_cut_off_in_time_and_the_others_are_served",
                "test_five_hundred_who_drip_leave_room_for_the_others",
            ),
            tried("unit/shared/test_web_wire.py", "test_headers_that_drip_are_given_up"),
            tried(
                GATE,
                "test_a_body_that_drips_is_given_up",
                "test_one_key_leaves_room_for_the_others",
            ),
        ),
        lacks="A percentile beside five hundred is told by the test, and none is asserted.",
    ),
    Fault(
        "S15",
        "a file that is small and unpacks into more than there is",
        "Pages, pixels, streams, memory and time have limits, in a process of its own.",
        (
            tried(
                HOSTILE,
                "test_a_bomb_ends_with_an_outcome",
                "test_a_loop_or_a_lie_ends_with_an_outcome",
                "test_what_costs_too_much_is_named",
                "test_hundreds_of_broken_documents_leave_no_memory_behind_in_the_parent",
            ),
            tried(
                PICTURES,
                "test_a_picture_that_claims_too_much_is_refused_before_it_is_decoded",
                "test_hundreds_of_broken_pictures_leave_no_memory_behind_in_the_parent",
            ),
            tried(
                FINER,
                "test_whatever_is_inside_ends_with_an_outcome_and_costs_the_parent_nothing",
            ),
            tried(
                "unit/ingest/test_archives.py", "test_a_bomb_is_refused_before_it_is_unpacked"
            ),
        ),
    ),
    Fault(
        "S16",
        "a file that takes its parser over, or crashes it",
        "The parser is a child without secrets, without the network and without what it never "
        "needs; its death is an outcome.",
        (
            CHILD,
            tried(
                SANDBOX,
                "test_whatever_ends_the_child_is_an_outcome",
                "test_a_crash_of_one_document_is_not_noticed_by_the_others",
            ),
            tried("unit/review/test_painter.py", "test_a_child_is_told_no_secrets"),
        ),
    ),
    Fault(
        "S17",
        "an address in a file or a request that we would go and fetch",
        "Nothing is fetched by an address that a client gives; a webhook is told only where "
        "the name leads to the public, at the address that was checked.",
        (
            tried(
                COURIER,
                "test_a_private_address_is_not_even_connected_to",
                "test_what_was_checked_is_what_is_connected_to",
                "test_a_name_that_is_public_at_first_and_private_later_is_not_told",
                "test_no_redirect_is_followed",
            ),
            tried(
                "unit/ingest/test_addresses.py",
                "test_an_address_that_is_not_public_is_refused",
                "test_one_bad_address_of_a_name_makes_all_of_them_suspect",
            ),
            tried(FINER, "test_nothing_outside_is_included_in_an_e_invoice"),
            CHILD,
        ),
    ),
    Fault(
        "S18",
        "a message that its reader would execute, or drown in",
        "JSON of a known form and nothing else, which can be read in one way only; whatever "
        "the bytes are, reading them ends in a letter.",
        (
            tried(
                "unit/shared/test_envelope.py",
                "test_no_bytes_make_reading_fail_in_another_way",
                "test_what_has_no_readable_header_is_undecodable",
                "test_a_body_with_a_key_twice_is_unacceptable_and_still_known_by_its_job",
            ),
            tried(
                "unit/shared/test_strict_json.py",
                "test_a_key_that_stands_twice_is_named_by_its_path",
                "test_what_is_no_json_is_refused_in_one_way",
            ),
            tried(
                "contract/test_requests.py",
                "test_a_key_that_stands_twice_is_refused_wherever_json_is_read",
            ),
            tried(
                "broker/test_consumer_outcomes.py",
                "test_what_cannot_be_read_is_kept_byte_for_byte",
                "test_an_unknown_type_and_a_wrong_content_type_die_at_once",
                "test_a_body_that_could_be_read_in_two_ways_is_not_tried_at_all",
            ),
        ),
    ),
    Fault(
        "S20",
        "a document that gives the model orders, seen or hidden",
        "The model has no tools and a fixed form to answer in; what nobody sees is not read, "
        "a number or an order in it blocks, and a new account is for a person.",
        (
            tried(
                HIDDEN,
                "test_what_nobody_sees_is_not_read_and_blocks",
                "test_only_a_number_or_an_instruction_blocks",
                "test_what_lies_outside_the_crop_box_is_hidden",
            ),
            tried(
                CLAIMED,
                "test_a_forger_under_a_known_name_never_becomes_known_himself",
                "test_who_leaves_his_numbers_out_is_still_asked_for_his_account",
            ),
            tried(
                "unit/extractor/test_page_check.py",
                "test_a_value_that_the_page_shows_otherwise_is_a_blocker",
            ),
            tried(
                "unit/extractor/test_consensus.py",
                "test_an_account_that_the_model_leaves_out_puts_those_it_names_in_doubt",
            ),
            tried(
                "conformance/test_injected_invoices.py",
                "test_an_order_that_the_model_obeys_pays_nobody_without_a_person",
                "test_an_answer_never_leaves_its_form",
            ),
        ),
        lacks="They are put before a model that obeys everything, and not before a real one.",
    ),
    Fault(
        "S21",
        "what a model says, taken for more than text",
        "It is treated as what a stranger says: the same escaping, and a place on the page.",
        (
            tried(
                "system/test_when_a_model_is_hostile.py",
                "test_what_it_says_is_text_at_the_desk_in_exports_and_in_logs",
            ),
            TEXTS,
            tried(
                "unit/extractor/test_grounding.py", "test_what_is_not_printed_is_found_nowhere"
            ),
            tried(
                "unit/extractor/test_scoring.py",
                "test_what_a_model_says_of_itself_moves_it_least_of_all",
            ),
        ),
    ),
    Fault(
        "S22",
        "a cell that a spreadsheet would calculate",
        "Text is text in every kind of export, and a negative amount stays a number.",
        (
            tried(
                EXPORTS,
                "test_a_spreadsheet_takes_what_a_document_says_for_text",
                "test_a_line_that_is_divided_elsewhere_holds_no_formula",
                "test_a_workbook_holds_text_as_text",
                "test_a_negative_amount_is_a_number_and_a_day_a_day",
            ),
        ),
    ),
)
