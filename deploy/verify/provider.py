"""How often did the provider answer, and how often did it have to?

Asked of the double that stands for it in tests, which counts by content. One answer per
content, owner and configuration is due; one more for each reading that somebody asked for
again, and one for each process that was killed while it could have held an answer.
"""

import json
from asyncio import to_thread
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from deploy.verify.looking import Check, Look, Notes
from deploy.verify.promises import CannotJudge, NotGiven

TIMEOUT_S = 10.0


async def spend(look: Look, notes: Notes) -> None:
    answered = await to_thread(_answered, look.sources.provider_url)
    history = look.sources.history
    killed = history.killed("extractor") if history else 0
    rows = await look.snapshot.fetch("spent_on", sorted(answered))
    over = {}
    for row in rows:
        due = max(1, row["owners"], row["answers"]) + row["runs"]
        if answered[row["sha256"]] > due:
            over[row["sha256"]] = (answered[row["sha256"]], due)
    surplus = sum(given - due for given, due in over.values())
    notes.note = f"{sum(answered.values())} answers, {surplus} more than due, {killed} kills"
    if surplus > killed:
        for content, (given, due) in sorted(over.items()):
            notes.add(content, f"answered {given} times, {due} due", str(given))


def _answered(url: str | None) -> Counter[str]:
    if url is None:
        raise NotGiven("the provider's double")
    return Counter(_ledger(url)["answered"])


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


CHECKS = (Check("I7", "spend", spend),)
