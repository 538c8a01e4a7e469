"""The answers: what is said back to whoever handed something in, and to nobody else.

They go to the sender's own queue and bind nobody: whoever has left by then finds the same in
the API. A published version never changes.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from shared.contracts.body import Answer


class SubmissionAnsweredV1(Answer):
    """What became of a submission. After a replay there may be a second answer: it holds."""

    type: ClassVar[str] = "submission.answered"

    outcome: Literal["accepted", "rejected"]
    document_id: UUID | None = None
    # The key had been used for the same document before: this is that document.
    repeated: bool = False
    # Where the API tells more of the document, by name.
    links: Mapping[str, str] = Field(default_factory=dict)
    reason: str = ""
    detail: str = ""


ANSWERS: tuple[type[Answer], ...] = (SubmissionAnsweredV1,)
