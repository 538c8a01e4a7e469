"""Whether a request may still hand something in: its key lives, and its day is not used up.

What is left is told on the answer, beside the rate of the key. Only keys with a quota are
counted; a request that may be a repetition is let through to where that is known.
"""

import math
from collections.abc import Sequence
from http import HTTPStatus

from fastapi import Request

from services.ingest.domain.documents import NewDocument
from services.ingest.ports import UNMETERED, Admission, Quotas
from shared.access.keys import NO_QUOTA
from shared.ledger.port import Unit
from shared.limits.days import Amount, Day
from shared.web.guard import Caller, require_still_known
from shared.web.problems import Problem
from shared.web.rates import Share, tell

DAY_S = 86_400
ANYTHING = Amount(documents=1, bytes=1)


def admission_of(request: Request) -> Admission:
    caller: Caller | None = getattr(request.state, "caller", None)
    quotas: Quotas | None = request.app.state.quotas
    return UNMETERED if caller is None else CallersAdmission(request, caller, quotas)


class CallersAdmission:
    def __init__(self, request: Request, caller: Caller, quotas: Quotas | None) -> None:
        self._request = request
        self._caller = caller
        self._quotas = quotas if caller.quota != NO_QUOTA else None

    @property
    def is_metered(self) -> bool:
        return self._quotas is not None

    async def require_room(self) -> None:
        # A repetition costs nothing, and is recognised by what it brings.
        if self._quotas is None or "idempotency-key" in self._request.headers:
            return
        day = await self._quotas.find_use(self._caller.key_id)
        self._tell(day)
        if not self._fits(day, ANYTHING):
            raise self._used_up(day, ANYTHING)

    async def require_still_known(self) -> None:
        await require_still_known(self._request)

    async def charge(self, unit: Unit, documents: Sequence[NewDocument]) -> None:
        if self._quotas is None:
            return
        spent = Amount(len(documents), sum(one.scan.size_bytes for one in documents))
        key_id, quota = self._caller.key_id, self._caller.quota
        counted, day = await self._quotas.count_use(unit, key_id, spent, quota)
        self._tell(day)
        if not counted:
            raise self._used_up(day, spent)

    def _fits(self, day: Day, spent: Amount) -> bool:
        quota = self._caller.quota
        return _within(day.used.documents + spent.documents, quota.documents_per_day) and (
            _within(day.used.bytes + spent.bytes, quota.bytes_per_day)
        )

    def _tell(self, day: Day) -> None:
        quota = self._caller.quota
        for policy, limit, used, unit in (
            ("day", quota.documents_per_day, day.used.documents, ""),
            ("day-bytes", quota.bytes_per_day, day.used.bytes, "content-bytes"),
        ):
            if limit is not None:
                share = Share(policy, limit, DAY_S, limit - used, day.ends_in_s, unit)
                tell(self._request.scope, share)

    def _used_up(self, day: Day, spent: Amount) -> Problem:
        quota = self._caller.quota
        too_many = not _within(day.used.documents + spent.documents, quota.documents_per_day)
        agreed, used, more, what = (
            (quota.documents_per_day, day.used.documents, spent.documents, "documents")
            if too_many
            else (quota.bytes_per_day, day.used.bytes, spent.bytes, "bytes")
        )
        return Problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "quota_exceeded",
            f"This key may hand in {agreed} {what} a day, UTC; {used} are used and this is "
            f"{more} more. Nothing of it was accepted.",
            headers={"Retry-After": str(math.ceil(day.ends_in_s))},
        )


def _within(amount: int, limit: int | None) -> bool:
    return limit is None or amount <= limit
