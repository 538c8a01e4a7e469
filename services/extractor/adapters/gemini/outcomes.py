"""What went wrong with a call, in the words of `domain/providers.py`.

A finish reason is looked at before the text is: the client raises nothing for an answer that
was cut off or withheld. Causes carry a code and a status only, because the body of an error is
somebody else's text and ends up in logs.
"""

import re
from collections.abc import Iterator, Mapping

import httpx2
from google.genai import errors

from services.extractor.adapters.gemini.reply import Reply
from services.extractor.domain.providers import (
    Away,
    Misconfiguration,
    Misconfigured,
    Refused,
    Throttled,
    Unsuitable,
)
from services.extractor.domain.reading import Finding, Usage

# The provider's policy, whatever the model would have said. A licence to read this document is
# not to be had by asking again.
REFUSALS = frozenset(
    (
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"),
        *("ESCALATION", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_RECITATION"),
        "IMAGE_PROHIBITED_CONTENT",
    )
)
# Without any, it has not stopped: then what is there is a part of an answer.
FINISHED = "STOP"
UNAUTHORIZED = frozenset({401, 403})
NOT_FOUND, TOO_LARGE, TIMED_OUT, TOO_MANY = 404, 413, 408, 429
SERVER_ERRORS = 500
_DELAY = re.compile(r"(?P<seconds>\d{1,6}(?:\.\d{1,9})?)s")
_SCHEMA = re.compile(r"schema|too many states", re.IGNORECASE)
_ACCOUNT = re.compile(r"billing|location is not supported|suspended", re.IGNORECASE)


class ApiSaid(Exception):
    """The cause that is kept of an error of the API: never its text."""

    def __init__(self, code: int, status: str) -> None:
        super().__init__(f"{code} {status}")


def said(error: errors.APIError) -> ApiSaid:
    status = error.status if isinstance(error.status, str) else ""
    return ApiSaid(error.code, re.sub(r"[^A-Z_]", "", status)[:40])


def of_error(
    error: errors.APIError,
) -> Away | Throttled | Misconfigured | Unsuitable:
    details = list(_details(error.details))
    if error.code == TOO_MANY:
        return _throttled(details)
    if error.code >= SERVER_ERRORS or error.code == TIMED_OUT:
        return Away("server_error", after_s=_hint(details))
    if (ours := _our_fault(error, details)) is not None:
        return Misconfigured(ours)
    # Alike for a PDF it cannot open and for much else: only the number of them tells.
    return cannot_take("too_large" if error.code == TOO_LARGE else f"http_{error.code}")


def _our_fault(
    error: errors.APIError, details: list[Mapping[str, object]]
) -> Misconfiguration | None:
    message = str(error.message or "")
    if error.code in UNAUTHORIZED or _reason(details).startswith("API_KEY"):
        return "key"
    if error.code == NOT_FOUND:
        return "model"
    if error.status == "FAILED_PRECONDITION" or _ACCOUNT.search(message):
        return "account"
    return "schema" if _SCHEMA.search(message) else None


def of_transport(error: httpx2.TransportError) -> Away | Throttled:
    if isinstance(error, httpx2.PoolTimeout):
        # Our own limit, and no failure of theirs.
        return Throttled(after_s=1)
    if isinstance(error, httpx2.ConnectTimeout):
        return Away("connection")
    if isinstance(error, httpx2.TimeoutException):
        return Away("timeout")
    # Cut off while it answered: what it did by then may be billed.
    cut_off = isinstance(error, (httpx2.ReadError, httpx2.RemoteProtocolError))
    return Away("garbled_transport" if cut_off else "connection")


def refusal(reply: Reply) -> str | None:
    """Why the provider will not read this document; None when it did not say so."""
    if reply.prompt_feedback is not None and reply.prompt_feedback.block_reason:
        return reply.prompt_feedback.block_reason.lower()
    if reply.finish_reason in REFUSALS:
        return str(reply.finish_reason).lower()
    return None


def defect(reply: Reply) -> str | None:
    """Why its text is not to be read; None for a whole one."""
    if not reply.candidates:
        return "no_candidates"
    if reply.finish_reason != FINISHED:
        known = re.sub(r"[^a-z_]", "", str(reply.finish_reason).lower())[:40]
        return known or "unknown_finish"
    return None if reply.text.strip() else "no_text"


def refused(reason: str, usage: tuple[Usage, ...]) -> Refused:
    detail = f"the provider will not read this document: {reason}"
    return Refused(Finding("model_refused", "block", detail), usage)


def cannot_take(reason: str) -> Unsuitable:
    return Unsuitable(Finding("model_cannot_take", "warn", reason))


def _details(told: object) -> Iterator[Mapping[str, object]]:
    error = told.get("error", told) if isinstance(told, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for one in details if isinstance(details, list) else []:
        if isinstance(one, dict):
            yield one


def _throttled(details: list[Mapping[str, object]]) -> Throttled:
    quotas = [
        str(violation.get("quotaId", ""))
        for one in details
        for violation in _members(one, "violations")
    ]
    return Throttled(after_s=_hint(details), per_day=any("PerDay" in one for one in quotas))


def _members(told: Mapping[str, object], name: str) -> Iterator[Mapping[str, object]]:
    members = told.get(name)
    for one in members if isinstance(members, list) else []:
        if isinstance(one, dict):
            yield one


def _hint(details: list[Mapping[str, object]]) -> float | None:
    for one in details:
        match = _DELAY.fullmatch(str(one.get("retryDelay", "")))
        if match:
            return float(match["seconds"])
    return None


def _reason(details: list[Mapping[str, object]]) -> str:
    return next((str(one["reason"]) for one in details if "reason" in one), "")
