"""How often was the provider asked, how often did it answer, and how often did it have to?

Asked of the double that stands for it in tests, which counts by content. One answer per
content, owner and configuration is due, one more for each reading that somebody asked for
again, and one for each death of the extractor between two calls about this very content: what
died at another time held no answer to it.
"""

import json
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
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


@dataclass(frozen=True, slots=True)
class Asked:
    """Of one content: when each call began, and whether it was answered well."""

    calls: Sequence[tuple[float, bool]]

    @property
    def answers(self) -> int:
        return sum(is_answered for _, is_answered in self.calls)

    def deaths_between(self, deaths: Sequence[Death]) -> int:
        """How many answers were paid for again because whoever held one had died."""
        paid = [at for at, is_answered in self.calls if is_answered]
        return sum(
            any(
                death.before >= one - SLACK_S and death.after <= then + SLACK_S
                for death in deaths
            )
            for one, then in pairwise(paid)
        )


async def spend(look: Look, notes: Notes) -> None:
    """No more answers than were due."""
    asked, _ = await to_thread(_asked, look.sources.provider_url)
    deaths = _deaths(look.sources.history)
    surplus = excused = 0
    for row in await look.snapshot.fetch("spent_on", sorted(asked)):
        one = asked[row["sha256"]]
        due = max(1, row["owners"], row["answers"]) + row["runs"]
        died = min(one.deaths_between(deaths), max(one.answers - due, 0))
        surplus += max(one.answers - due, 0)
        excused += died
        if one.answers > due + died:
            told = f"answered {one.answers} times, {due} due"
            notes.add(row["sha256"], f"{told}, {died} deaths between", str(one.answers))
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
        if row["unread"] and one.answers and not _died_after(one, deaths):
            told = f"answered {one.answers} times, and nobody has read an answer"
            notes.add(row["sha256"], told, str(one.answers))


def _died_after(one: Asked, deaths: Sequence[Death]) -> bool:
    first = min(at for at, is_answered in one.calls if is_answered)
    return any(death.before >= first - SLACK_S for death in deaths)


def _deaths(history: History | None) -> list[Death]:
    return history.deaths(READER) if history else []


def _asked(url: str | None) -> tuple[Mapping[str, Asked], datetime]:
    """By content, and since when it has been counted."""
    if url is None:
        raise NotGiven("the provider's double")
    ledger = _ledger(url)
    found = {
        content: Asked(tuple((float(at), bool(is_answered)) for at, is_answered in calls))
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
