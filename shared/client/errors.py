"""The two ways in which a call does not succeed: the API said no, or nobody said anything."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

DETAIL_CHARS_MAX = 500


class ClientError(Exception):
    """Either of them; its text is a sentence for a person."""


class Refused(ClientError):
    """The API understood and said no. `reason` is stable, `detail` is for a person."""

    def __init__(
        self,
        status: int,
        reason: str,
        detail: str = "",
        errors: Sequence[Mapping[str, str]] = (),
    ) -> None:
        told = "; ".join(f"{one.get('pointer', '')}: {one.get('detail', '')}" for one in errors)
        sentence = " ".join(part for part in (detail, told and f"({told})") if part) or reason
        super().__init__(f"{sentence} (HTTP {status})")
        self.status = status
        self.reason = reason
        self.detail = detail
        self.errors = tuple(errors)

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later, whatever the document is."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR or self.status in (
            HTTPStatus.REQUEST_TIMEOUT,
            HTTPStatus.TOO_EARLY,
            HTTPStatus.TOO_MANY_REQUESTS,
        )


class Away(ClientError):
    """Nobody answered, which a restart of the service may cure."""


def refused(status: int, body: bytes) -> Refused:
    """From problem+json; whatever else stands between us and the API may answer in its own."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        text = body.decode(errors="replace").strip()[:DETAIL_CHARS_MAX]
        return Refused(status, _named(status), text)
    kind = str(answer.get("type") or "").rpartition("/")[2].replace("-", "_")
    detail = str(answer.get("detail") or answer.get("title") or "")[:DETAIL_CHARS_MAX]
    found = answer.get("errors")
    errors = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return Refused(status, kind or _named(status), detail, errors)


def _named(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "_")
    except ValueError:
        return "unknown"
