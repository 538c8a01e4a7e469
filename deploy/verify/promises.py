"""What is promised, and how it is said whether that holds.

A suspect is what one look finds against a promise. On a system at work most suspects are
documents under way, so only what the next looks find again, unmoved, is an offender: `mark`
is whatever changes when it moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

PROMISES: Mapping[str, str] = {
    "I1": "conservation: what was accepted stands in exactly one place",
    "I2": "no stranding: what is under way is carried by something, and nobody has to help",
    "I3": "durable 202: what was promised is there, byte for byte",
    "I4": "no lie: a yes was committed, and its key stands for one document",
    "I5": "one effect: one result per version, in JSON and Parquet alike",
    "I6": "one review item, and one person who has it in hand",
    "I7": "spend: the provider answered no more often than it had to",
    "I8": "locked fields: a person's value is changed by a person",
    "I9": "audit: every deed has its one line, and the chain holds",
    "I10": "outbox: what is owed is sent, reaches everybody, and was committed before",
    "I11": "routing: no message is without a home",
    "I12": "dead letters: each is kept, and every replay comes to an end",
    "I13": "isolation: no document fails for the sake of another",
    "I14": "forwards only: what has ended stays so, and a version is never rewritten",
    "I15": "time: decisions go by the clock of the database",
    "I16": "bounded: connections, files and memory stay within their limits",
    "I17": "liveness: at rest all queues are empty and everybody is ready",
    "I18": "no leak: no secret stands in a log, a metric or a letter",
}
SUSPECTS_MAX = 10_000


class State(Enum):
    HOLDS = "holds"
    BROKEN = "broken"
    # What was given to judge it by could not be read: the exit code says so.
    UNKNOWN = "unknown"
    # Nobody gave what it is judged by.
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Suspect:
    subject: str
    detail: str
    mark: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        return self.subject, self.mark


class CannotJudge(Exception):
    """What is needed was given and could not be read."""


class NotGiven(Exception):
    """What is needed was not given."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is left of one check after all looks."""

    promise: str
    check: str
    suspects: tuple[Suspect, ...] = ()
    # There were more than anybody keeps.
    cut: bool = False
    unknown: str = ""
    not_given: str = ""
    note: str = ""
    excused: int = 0


@dataclass(frozen=True, slots=True)
class Excuse:
    """Broken on purpose, by a test that says so: of this subject these are not told."""

    subject: str
    promises: frozenset[str]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Offender:
    check: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    promise: str
    state: State
    offenders: tuple[Offender, ...] = ()
    total: int = 0
    cut: bool = False
    notes: tuple[str, ...] = ()
    excused: int = 0


def verdicts(
    findings: Sequence[Finding], excuses: Sequence[Excuse], offenders_max: int
) -> list[Verdict]:
    return [
        _verdict(
            promise, [one for one in findings if one.promise == promise], excuses, offenders_max
        )
        for promise in PROMISES
    ]


def _verdict(
    promise: str, findings: Sequence[Finding], excuses: Sequence[Excuse], offenders_max: int
) -> Verdict:
    excused = {one.subject for one in excuses if promise in one.promises}
    found = [
        Offender(one.check, suspect.subject, suspect.detail)
        for one in findings
        for suspect in one.suspects
        if suspect.subject not in excused
    ]
    notes = [one.note for one in findings if one.note]
    notes += [f"not judged ({one.check}): {one.unknown}" for one in findings if one.unknown]
    notes += [f"not looked at: {one.not_given}" for one in findings if one.not_given]
    return Verdict(
        promise,
        _state(found, findings),
        tuple(found[:offenders_max]),
        len(found),
        any(one.cut for one in findings),
        tuple(dict.fromkeys(notes)),
        sum(one.excused for one in findings),
    )


def _state(found: Sequence[Offender], findings: Sequence[Finding]) -> State:
    if found:
        return State.BROKEN
    if any(one.unknown for one in findings):
        return State.UNKNOWN
    judged = [one for one in findings if not one.not_given]
    return State.HOLDS if judged else State.NOT_ASKED
