"""All promises, looked at while processes die, and each that was broken told once.

A look reads all that there is, so it is taken of a growing number of deaths at a time: of each
of the first, and of ever a tenth of all before. Between two looks every death is judged by what
it touched; what is found by a look names those since the last. Looked at without waiting first:
what moves on by itself makes only those looks longer that find something. And what one death
broke stays broken, which is no fault of those after it.
"""

from dataclasses import dataclass, field, replace

from deploy.local.verifying import sources_of
from deploy.verify.looking import Orders, Sources
from deploy.verify.promises import State, Verdict
from deploy.verify.report import as_text
from deploy.verify.verifying import verify
from tests.gemini_double.server import GeminiDouble
from tests.system.stack import Stack

OFFENDERS_MAX = 1_000
# Of all that was judged, so much may pass before the next look.
SHARE = 10
# What is on its way is mostly there a moment later; a repair that is due takes its time.
PAUSES = (0.3, 0.7, 1.0, 3.0, 5.0, 10.0, 10.0)


@dataclass(slots=True)
class Judge:
    stack: Stack
    provider: GeminiDouble | None = None
    # Promises and whom they were broken to, as it was told already.
    _told: set[tuple[str, str]] = field(default_factory=set)
    _seen: int = 0
    # Cases that no look was taken after yet.
    _since: list[str] = field(default_factory=list)

    async def excuse_what_is_broken(self) -> None:
        """By others, before."""
        self._told.update(_named(await self._unkept(self._sources(), _orders(deep=False))))

    async def note(self, case: str) -> None:
        self._since.append(case)
        if len(self._since) > self._seen // SHARE:
            await self.require_kept()

    async def require_kept(self) -> None:
        since, self._since = self._since, []
        self._seen += len(since)
        orders, sources = _orders(deep=False), self._sources()
        unkept = await self._unkept(sources, replace(orders, pauses=()))
        if unkept:
            unkept = await self._unkept(sources, orders)
            self._told.update(_named(unkept))
        assert not unkept, "\n".join(["", as_text(unkept), "after", *since])

    async def require_all_of_it(self) -> None:
        """Byte by byte, whoever broke it and whenever."""
        self._told.clear()
        orders = _orders(deep=True)
        unkept = await self._unkept(self._sources(), orders)
        assert not unkept, f"\n{as_text(unkept)}"

    async def _unkept(self, sources: Sources, orders: Orders) -> list[Verdict]:
        found = await verify(sources, orders, offenders_max=OFFENDERS_MAX)
        unknown = [one for one in found if one.state is State.UNKNOWN]
        broken = [one for one in found if one.state is State.BROKEN]
        return [*unknown, *(one for one in broken if not _named([one]) <= self._told)]

    def _sources(self) -> Sources:
        written = self.stack.history.path
        return sources_of(
            self.stack.state,
            history=written if written.exists() else None,
            provider_url=self.provider.url if self.provider else None,
        )


def _orders(*, deep: bool) -> Orders:
    return Orders(at_rest=True, deep=deep, repairs_allowed=0, pauses=PAUSES)


def _named(broken: list[Verdict]) -> set[tuple[str, str]]:
    return {(one.promise, offender.subject) for one in broken for offender in one.offenders}
