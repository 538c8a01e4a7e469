"""How often was the provider asked, how often did it answer, and how often did it have to?

Asked of the double that stands for it in tests, which counts by content. One answer per
content, owner and configuration is due, one more for each reading that somebody asked for
again, one for each document that was cancelled after it had been begun, and one for each answer
that was in the hands of an extractor which died: what died at another time, or before the call,
held no answer to it.
"""

import json
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from deploy.verify.history import Death, History
from deploy.verify.looking import Check, Look, Notes
from deploy.verify.promises import CannotJudge, NotGiven

TIMEOUT_S = 10.0
READER = "extractor"
# An answer that is no use is asked for once more, within the same try.
ASKS_MAX = 2
# Between what is written down of a death and what dies.
SLACK_S = 1.0
# How long an answer is at most in hand before it is kept, where nothing holds it up.
HELD_S = 2.0


@dataclass(frozen=True, slots=True)
class Call:
    """When it began, whether it was answered well, and when it was over."""

    at: float
    is_answered: bool
    ended: float

    def was_in_hand(self, death: Death) -> bool:
        """Of who died: since it was asked, and until its answer was kept."""
        held_until = self.ended + HELD_S + SLACK_S
        return death.before >= self.at - SLACK_S and death.after <= held_until


@dataclass(frozen=True, slots=True)
class Asked:
    """All calls about one content, in their order."""

    calls: Sequence[Call]

    @property
    def paid(self) -> Sequence[Call]:
        return [one for one in self.calls if one.is_answered]

    @property
    def answers(self) -> int:
        return len(self.paid)

    def lost(self, deaths: Sequence[Death]) -> int:
        """How many answers were in the hands of somebody who died, all but the last."""
        return sum(any(map(one.was_in_hand, deaths)) for one in self.paid[:-1])


async def spend(look: Look, notes: Notes) -> None:
    """No more answers than were due."""
    asked, _ = await to_thread(_asked, look.sources.provider_url)
    deaths = _deaths(look.sources.history)
    surplus = excused = 0
    for row in await look.snapshot.fetch("spent_on", sorted(asked)):
        one = asked[row["sha256"]]
        kept = max(row["owners"], row["answers"])
        due = max(1, kept + row["runs"] + row["cancelled"])
        died = min(one.lost(_about(row["sha256"], deaths)), max(one.answers - due, 0))
        surplus += max(one.answers - due, 0)
        excused += died
        if one.answers > due + died:
            told = f"answered {one.answers} times, {due} due"
            notes.add(
                row["sha256"], f"{told}, {died} of them lost by a death", str(one.answers)
            )
    notes.excused = excused
    answers = sum(one.answers for one in asked.values())
    notes.note = f"{answers} answers, {surplus} more than due, {excused} of them after deaths"


async def attempts(look: Look, notes: Notes) -> None:
    """No more calls than the tries that were told of: nobody tries again by himself."""
    asked, _ = await to_thread(_asked, look.sources.provider_url)
    for row in await look.snapshot.fetch("spent_on", sorted(asked)):
        calls = len(asked[row["sha256"]].calls)
        # A part of a document, or a picture that was made of one, is no content of its own.
        if row["documents"] and calls > ASKS_MAX * row["tries"]:
            told = f"asked about {calls} times, in {row['tries']} tries"
            notes.add(row["sha256"], told, f"{calls} {row['tries']}")


async def both_ledgers(look: Look, notes: Notes) -> None:
    """What the provider answered well was read, and what was read it was asked about."""
    asked, since = await to_thread(_asked, look.sources.provider_url)
    deaths = _deaths(look.sources.history)
    for row in await look.snapshot.fetch("read_by_provider", sorted(asked), since):
        one = asked.get(row["sha256"], Asked(()))
        if row["readings"] and not one.calls:
            told = f"{row['readings']} readings by the provider, which was never asked"
            notes.add(row["sha256"], told, str(row["readings"]))
        if row["unread"] and _was_kept(one, _about(row["sha256"], deaths)):
            told = f"answered {one.answers} times, and nobody has read an answer"
            notes.add(row["sha256"], told, str(one.answers))


def _was_kept(one: Asked, deaths: Sequence[Death]) -> bool:
    """Whether some answer was in nobody's hands who died."""
    return any(not any(map(call.was_in_hand, deaths)) for call in one.paid)


def _about(sha256: str, deaths: Sequence[Death]) -> Sequence[Death]:
    return [one for one in deaths if one.sha256 in (None, sha256)]


def _deaths(history: History | None) -> list[Death]:
    return history.deaths(READER) if history else []


def _asked(url: str | None) -> tuple[Mapping[str, Asked], datetime]:
    """By content, and since when it has been counted."""
    if url is None:
        raise NotGiven("the provider's double")
    ledger = _ledger(url)
    found = {
        content: Asked(
            tuple(Call(float(at), bool(well), float(end)) for at, well, end in calls)
        )
        for content, calls in ledger["moments"].items()
    }
    return found, datetime.fromtimestamp(ledger["since"], UTC)


def _ledger(url: str) -> Mapping[str, Any]:
    if urlsplit(url).scheme not in ("http", "https"):
        raise CannotJudge(f"the double's address is no URL: {url}")
    try:
        asked = f"{url.rstrip('/')}/__double__/ledger"
        with urlopen(asked, timeout=TIMEOUT_S) as answer:  # noqa: S310 -- checked above
            ledger: Mapping[str, Any] = json.load(answer)
    except (OSError, ValueError) as error:
        raise CannotJudge(f"the double does not answer at {url}: {error}") from error
    return ledger


CHECKS = (
    Check("I7", "spend", spend),
    Check("I7", "attempts", attempts),
    Check("I7", "both_ledgers", both_ledgers),
)
