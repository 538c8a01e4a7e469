"""The promises that tables alone can break: a statement each, whose rows are the suspects.

Every statement answers with `subject`, `detail` and `mark` (what changes when the subject
moves), in the order of the subjects, so that what is cut off is the same in each look.
"""

from dataclasses import dataclass

from deploy.verify.broker import Depths
from deploy.verify.looking import Check, Look, Notes
from deploy.verify.promises import SUSPECTS_MAX

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Table:
    promise: str
    name: str
    # How long something may take while the system is at work; at rest it takes no time.
    live_s: float | None = None
    # What waits in queues whose names end like this may be what is missing.
    queue: str = ""
    # Of a system at work it would only tell that it works.
    at_rest_only: bool = False

    def check(self) -> Check:
        return Check(self.promise, self.name, self._look)

    async def _look(self, look: Look, notes: Notes) -> None:
        if self.at_rest_only and not look.orders.at_rest:
            return
        given = [] if self.live_s is None else [0.0 if look.orders.at_rest else self.live_s]
        for row in await look.snapshot.fetch(self.name, SUSPECTS_MAX, *given):
            notes.add(row["subject"], row["detail"] or "", row["mark"] or "")
        waiting = self._waiting(look)
        if notes.suspects and len(notes.suspects) <= waiting:
            notes.note = f"{len(notes.suspects)} of {self.name} may be among {waiting} messages"
            notes.suspects.clear()

    def _waiting(self, look: Look) -> int:
        if not self.queue or not isinstance(look.depths, Depths):
            return 0
        queues = look.depths.queues.items()
        return sum(one.messages for name, one in queues if name.endswith(self.queue))


TABLES = (
    Table("I1", "ended_without_a_word"),
    Table("I1", "traces_without_a_document"),
    Table("I1", "told_differently", live_s=HOUR_S),
    Table("I1", "batches_that_do_not_add_up"),
    Table("I1", "under_way_at_rest", at_rest_only=True),
    Table("I2", "given_up_as_lost"),
    Table("I3", "accepted_unannounced"),
    Table("I5", "told_twice"),
    Table("I5", "ended_without_a_result"),
    Table("I5", "results_of_nobody", live_s=HOUR_S, queue="storage.withdraw"),
    Table("I5", "outputs_behind", live_s=HOUR_S),
    Table("I6", "items_twice"),
    Table("I6", "unreviewed", live_s=HOUR_S, queue="review.open"),
    Table("I6", "items_of_nobody", live_s=HOUR_S, queue="review.withdraw"),
    Table("I6", "claims_nobody_ended"),
    Table("I6", "review_told_differently", live_s=HOUR_S),
    Table("I7", "read_twice"),
    Table("I7", "spending_apart"),
    Table("I8", "locks_that_were_altered"),
    Table("I8", "locked_fields_altered"),
    Table("I8", "triggers_of_locks_off"),
    Table("I9", "timelines_with_gaps"),
    Table("I9", "deeds_without_a_line"),
    Table("I9", "audit_open_to_change"),
    Table("I10", "outbox_unsent", live_s=60.0),
    Table("I10", "parked"),
    Table("I10", "told_without_a_commit", live_s=60.0),
    Table("I10", "heard_by_one", at_rest_only=True),
    Table("I11", "letters_without_a_home"),
    Table("I12", "failed_without_a_letter", live_s=HOUR_S, queue=".dead"),
    Table("I12", "inbox_failed_without_a_letter", live_s=HOUR_S, queue=".dead"),
    Table("I12", "replays_without_an_end", live_s=49 * HOUR_S),
    Table("I12", "replayed_twice"),
    Table("I12", "operations_that_do_not_add_up"),
    Table("I14", "moved_back"),
    Table("I14", "versions_that_shrank"),
    Table("I15", "in_the_future"),
    Table("I16", "sessions_that_hang"),
)
