"""The model of a review item: which deeds its state allows, by what it is refused, what then.

Said once more than in `services/review/domain` and without a look at it: a state that both
have wrong in the same way is found by nobody.
"""

from collections import Counter
from dataclasses import dataclass, field

LEASE_S, UNDO_S, REREAD_S = 900, 30, 3600
OPEN, DECIDED = ("pending", "in_review"), ("approved", "corrected", "rejected")


@dataclass(slots=True)
class Expected:
    """What is known of a document: of its item, if it has one, and of what people said."""

    status: str = ""
    version: int = 0
    reading: int = 0
    read_total: str = ""
    locked_total: str | None = None
    holder: str | None = None
    held_until: float = 0.0
    # Put off until its reading comes.
    away_until: float | None = None
    asked_by: str | None = None
    decided_by: str | None = None
    decided_at: float = 0.0
    reopened_by: str | None = None
    withdrawn: str = ""
    deeds: Counter[str] = field(default_factory=Counter)

    def is_held(self, now: float) -> bool:
        return self.holder is not None and self.held_until >= now

    def is_held_by_another(self, who: str, now: float) -> bool:
        return self.is_held(now) and self.holder != who

    def comes(self, reading: int, total: str) -> None:
        if not self.status:
            self.status, self.version = "pending", 1
        elif reading > self.reading and self.status != "withdrawn":
            was_asked, was_open = self.asked_by is not None, self.status in OPEN
            self.version += 1
            self.status = self.status if was_open else "pending"
            self.decided_by = self.reopened_by = self.asked_by = None
            self.away_until = None if was_asked else self.away_until
            self.deeds["item_reread"] += 1
            if self.locked_total is not None:
                self.deeds["locks_inherited"] += 1
        else:
            return
        self.reading, self.read_total = reading, total

    def is_claimed(self, who: str, now: float) -> None:
        self.status, self.holder, self.held_until = "in_review", who, now + LEASE_S
        self.away_until = None

    def is_free(self) -> None:
        self.status, self.holder = "pending", None

    def wakes(self, now: float) -> None:
        """What time does, once somebody looks."""
        if self.status == "in_review" and not self.is_held(now):
            self.is_free()
            self.deeds["claim_lapsed"] += 1
        elif self.status == "pending" and self.away_until and self.away_until <= now:
            self.away_until = self.asked_by = None

    def is_decided(self, status: str, who: str, now: float) -> None:
        self.status, self.holder, self.reopened_by = status, None, None
        self.decided_by, self.decided_at = who, now
        self.version += 1
        self.deeds[f"item_{status}"] += 1

    def why_not_claimed(self, who: str, now: float) -> str:
        if not self.status:
            return "NoSuchItem"
        if self.status not in OPEN:
            return "AlreadyDecided"
        return "ClaimedByAnother" if self.is_held_by_another(who, now) else ""

    def why_not_decided(self, who: str, version: int, now: float) -> str:
        stale = "StaleVersion" if version != self.version else ""
        return self.why_not_claimed(who, now) or stale

    def why_not_held(self, who: str, now: float) -> str:
        if not self.status:
            return "NoSuchItem"
        if self.status not in OPEN:
            return "AlreadyDecided"
        return "" if self.is_held(now) and self.holder == who else "LeaseLost"

    def is_settled_as(self, verdict: str, who: str) -> bool:
        """Who says the same once more is told that it is so."""
        settled = ("rejected",) if verdict == "rejected" else ("approved", "corrected")
        return self.decided_by == who and self.status in settled

    def why_not_corrected(self, who: str, version: int, now: float) -> str:
        if not self.status:
            return "NoSuchItem"
        if self.status not in OPEN:
            return "AlreadyDecided"
        if version != self.version:
            return "StaleForm"
        if self.is_held_by_another(who, now):
            return "ClaimedByAnother"
        if self.is_held(now):
            return ""
        return "LeaseLost" if self.holder == who else "NotClaimed"

    def why_not_reopened(self, who: str, version: int, now: float, *, undo: bool) -> str:
        if not self.status:
            return "NoSuchItem"
        if self.status not in DECIDED:
            return "NotDecided"
        if version != self.version:
            return "StaleVersion"
        is_late = self.decided_by != who or now - self.decided_at > UNDO_S
        return "TooLateToUndo" if undo and is_late else ""

    def is_reopened(self, who: str, now: float, *, undo: bool) -> None:
        self.version += 1
        self.decided_by, self.reopened_by = None, who
        self.status, self.away_until = "pending", None
        self.deeds["item_undone" if undo else "item_reopened"] += 1
        if undo:
            self.is_claimed(who, now)

    def is_given_back(self, who: str, now: float) -> None:
        """To be read anew."""
        self.is_free()
        self.version += 1
        self.asked_by, self.away_until = who, now + REREAD_S
        self.deeds["item_given_back"] += 1

    def is_corrected(self, total: str) -> None:
        self.version += 1
        is_said_again = self.locked_total == total
        self.deeds["field_confirmed" if is_said_again else "field_corrected"] += 1
        self.locked_total = total

    def is_withdrawn(self, *, deleted: bool) -> None:
        was_open = self.status in OPEN
        self.withdrawn = "deleted" if deleted else self.withdrawn or "cancelled"
        if deleted and self.status:
            self.deeds["item_erased"] += 1
            self.status, self.holder, self.decided_by = "", None, None
        elif was_open:
            self.status, self.holder = "withdrawn", None
            self.version += 1
            self.deeds["item_withdrawn"] += 1
