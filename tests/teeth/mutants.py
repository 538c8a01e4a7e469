"""What keeps a promise, taken away: each mutant is a safeguard as a mistake would leave it.

A test that passes without the safeguard it is there for proves nothing. Each mutant names the
test that has to miss it: that some other fails without it may be for any reason.
"""

from tests.teeth.mutant import mutant

KILLED = "tests/broker/test_when_a_consumer_is_killed.py"
ACKNOWLEDGED = "        await acknowledge(channel, deliveries[-1].tag, multiple=True)\n"
SETTLED = "        try:\n            settled = await self._settle(deliveries)\n"
FIRST_FREE = (
    "                         LIMIT 1\n                           FOR UPDATE SKIP LOCKED"
)
ASKED = "                body = await self._generate(documents, question, files, again=again)\n"
ASKED_TWICE = """\
                try:
                    body = await self._generate(documents, question, files, again=again)
                except errors.APIError:
                    body = await self._generate(documents, question, files, again=again)
"""
UNIT = """\
            await unit.flush()
            await failpoint("unit.before_commit")
"""


MUTANTS = (
    mutant(
        "acknowledged before it is handled",
        "shared/bus/slots.py",
        (
            "        self._in_hand.add(delivery)\n",
            "        self._in_hand.add(delivery)\n"
            "        await acknowledge(channel, delivery.tag)\n",
        ),
        ("        if settled:\n            await acknowledge(channel, delivery.tag)\n", ""),
        missed_by=(
            KILLED,
            "test_killed_at_any_step_every_job_is_done_exactly_once",
        ),
    ),
    mutant(
        "a batch acknowledged before it is handled",
        "shared/bus/batches.py",
        (SETTLED, ACKNOWLEDGED + SETTLED),
        ("            return\n" + ACKNOWLEDGED, "            return\n"),
        missed_by=(
            KILLED,
            "test_killed_at_any_step_every_job_is_done_exactly_once",
        ),
    ),
    mutant(
        "marked as done in a transaction of its own",
        "shared/ledger/postgres.py",
        (
            "            fresh = await mark_done(connection, jobs)\n",
            "            fresh = await mark_done(connection, jobs)\n"
            "        async with self._pool.transaction() as connection:\n",
        ),
        missed_by=(
            KILLED,
            "test_killed_at_any_step_every_job_is_done_exactly_once",
        ),
    ),
    mutant(
        "messages are owed before the state is committed",
        "shared/ledger/postgres.py",
        (
            UNIT,
            "            async with self._pool.transaction() as unit.connection:\n"
            "                await unit.flush()\n"
            '            await failpoint("unit.before_commit")\n',
        ),
        missed_by=(
            "tests/broker/test_ledger_is_one_commit.py",
            "test_without_the_one_there_is_not_the_other",
        ),
    ),
    mutant(
        "messages are owed after the state is committed",
        "shared/ledger/postgres.py",
        (
            UNIT,
            '            await failpoint("unit.before_commit")\n'
            "        async with self._pool.transaction() as unit.connection:\n"
            "            await unit.flush()\n",
        ),
        missed_by=(
            "tests/broker/test_ledger_is_one_commit.py",
            "test_without_the_one_there_is_not_the_other",
        ),
    ),
    mutant(
        "taken from the outbox before the broker has confirmed",
        "shared/ledger/relay.py",
        (
            '                await failpoint("relay.claimed")\n'
            "                await self._publish(connection, [_row(row) for row in claimed])\n"
            '                await failpoint("relay.published")\n',
            "                pass\n        async with self._pool.transaction() as connection:\n"
            '            await failpoint("relay.claimed")\n'
            "            await self._publish(connection, [_row(row) for row in claimed])\n"
            '            await failpoint("relay.published")\n',
        ),
        missed_by=(
            KILLED,
            "test_a_relay_killed_at_any_step_loses_nothing_and_doubles_no_effect",
        ),
    ),
    mutant(
        "nobody waits for confirmations",
        "shared/bus/publisher.py",
        (
            "                    await batch.settled\n",
            "                    batch.outcomes[:] = [Outcome.CONFIRMED] * len(messages)\n",
        ),
        missed_by=(
            "tests/broker/test_publisher.py",
            "test_a_message_without_a_queue_is_noticed",
        ),
    ),
    mutant(
        "what no queue takes comes back to nobody",
        "shared/bus/connection.py",
        ("on_return_raises=True", "on_return_raises=False"),
        missed_by=(
            "tests/broker/test_publisher.py",
            "test_a_message_without_a_queue_is_noticed",
        ),
    ),
    mutant(
        "a job that is done is done again",
        "shared/ledger/sql/mark_done.sql",
        (" WHERE inbox.outcome = 'failed' AND inbox.run < excluded.run\n", ""),
        missed_by=(
            "tests/conformance/test_job_record.py",
            "test_a_job_is_done_once",
        ),
    ),
    mutant(
        "starts are not counted",
        "shared/bus/consumer.py",
        (
            "        if again:\n            await self.bus.record.count_starts",
            "        if not again:\n            await self.bus.record.count_starts",
        ),
        missed_by=(
            KILLED,
            "test_a_message_that_kills_its_process_is_dead_after_three_starts_and_alone",
        ),
    ),
    mutant(
        "an item is lent without passing over those in other hands",
        "services/review/sql/claim_next_item.sql",
        (FIRST_FREE + ") AS timely", "                         LIMIT 1) AS timely"),
        missed_by=(
            "tests/broker/test_review_claims.py",
            "test_50_reviewers_in_two_processes_are_lent_200_items_once_each",
        ),
    ),
    mutant(
        "a lease without its fence",
        "services/extractor/sql/keep_processed.sql",
        ("       AND leases.token = mine.token\n", "       AND mine.token IS NOT NULL\n"),
        missed_by=(
            "tests/conformance/test_processed_documents.py",
            "test_who_was_taken_for_dead_keeps_nothing_and_disturbs_nobody",
        ),
    ),
    mutant(
        "the provider is asked by who may have lost the lease",
        "services/extractor/adapters/gemini/engine.py",
        ("                scan.require_ours()\n", "                scan.left_s()\n"),
        missed_by=(
            "tests/conformance/test_gemini.py",
            "test_whoever_may_have_been_taken_for_dead_asks_and_pays_nothing",
        ),
    ),
    mutant(
        "a letter is sent back without being taken first",
        "services/monitor/sql/claim_letter.sql",
        ("   AND state = 'open'\n", ""),
        missed_by=(
            "tests/broker/test_replays_asked_for_from_all_sides.py",
            "test_each_letter_is_applied_once",
        ),
    ),
    mutant(
        "a letter that was mended stays open beside its edition",
        "services/monitor/sql/supersede_letter.sql",
        ("   SET state = 'superseded',\n", "   SET state = 'open',\n"),
        missed_by=(
            "tests/conformance/test_edited_letters.py",
            "test_the_letter_is_superseded_by_a_job_of_its_own",
        ),
    ),
    mutant(
        "a machine may change what a person has locked",
        "services/review/migrations/0003_expand_fields.sql",
        (
            "    FOR EACH ROW WHEN (OLD.locked_by IS NOT NULL)\n",
            "    FOR EACH ROW WHEN (false)\n",
        ),
        missed_by=(
            "tests/broker/test_review_fields.py",
            "test_the_database_itself_refuses_a_machine",
        ),
    ),
    mutant(
        "a line of the audit log can be changed",
        "shared/audit/migrations/0001_expand_audit_log.sql",
        (
            "    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log\n",
            "    BEFORE TRUNCATE ON audit_log\n",
        ),
        missed_by=(
            "tests/broker/test_audit.py",
            "test_nobody_changes_the_log_not_even_its_owner",
        ),
    ),
    mutant(
        "the provider is asked again behind our back",
        "services/extractor/adapters/gemini/client.py",
        (ASKED, ASKED_TWICE),
        missed_by=(
            "tests/conformance/test_gemini_outcomes.py",
            "test_a_spent_quota_says_for_how_long",
        ),
    ),
    mutant(
        "an effect without a key of its own",
        "services/storage/migrations/0004_expand_exports.sql",
        (
            "    PRIMARY KEY (batch_id, position),\n"
            "    CONSTRAINT a_version_is_handed_over_once "
            "UNIQUE (consumer_id, document_id, version)\n",
            "    PRIMARY KEY (batch_id, position)\n",
        ),
        missed_by=(
            "tests/broker/test_storage_handover.py",
            "test_the_database_itself_gives_no_version_twice",
        ),
    ),
    mutant(
        "one connection for what is published and what is taken",
        "shared/process/runtime.py",
        (
            '        consuming = Link(url, purpose="consume", name=name)\n',
            "        consuming = publishing\n",
        ),
        ('            "consume-link": consuming.keep(),\n', ""),
        missed_by=(
            "tests/broker/test_when_the_broker_holds_a_service_back.py",
            "test_what_waits_is_done_and_what_is_owed_goes_out_afterwards",
        ),
    ),
    mutant(
        "not the whole call of the provider has a deadline, but each of its bytes",
        "services/extractor/adapters/gemini/client.py",
        (
            "            async with asyncio.timeout(self._options.deadline_s):\n",
            "            async with asyncio.timeout(10 * self._options.deadline_s):\n",
        ),
        missed_by=(
            "tests/conformance/test_gemini_outcomes.py",
            "test_the_whole_call_has_one_deadline",
        ),
    ),
    mutant(
        "what a full queue refuses is dropped on its way to the dead",
        "shared/topology/plan.py",
        (
            '"x-dead-letter-strategy": "at-least-once"',
            '"x-dead-letter-strategy": "at-most-once"',
        ),
        missed_by=(
            "tests/broker/test_topology_on_a_broker.py",
            "test_what_would_leave_for_an_exchange_that_is_missing_is_kept",
        ),
    ),
    mutant(
        "of a key that stands twice the last value counts",
        "shared/strict_json.py",
        ("    if len(made) != len(pairs):\n        raise _Repeated\n", ""),
        missed_by=(
            "tests/unit/shared/test_strict_json.py",
            "test_a_key_that_stands_twice_is_named_by_its_path",
        ),
    ),
    mutant(
        "a person is the second of two persons",
        "services/review/domain/four_eyes.py",
        ("    if sentence is not None:\n        raise NeedsAnother(item, sentence)\n", ""),
        missed_by=(
            "tests/unit/review/test_four_eyes.py",
            "test_whoever_handed_it_in_does_not_approve_it_and_another_does",
        ),
    ),
)
