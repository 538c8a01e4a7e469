"""What every body on the wire has in common.

An order is work that a document cannot do without and names one queue's work; a fact tells
whoever cares that something happened; an answer tells whoever asked. All carry their wire
name and version as constants, so that renaming a Python class never changes the wire.
"""

from datetime import datetime
from enum import IntEnum
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Priority(IntEnum):
    """Portable numbers: 5 is above and 1 to 4 are not, on brokers that know two levels only."""

    BULK = 1
    NORMAL = 3
    HIGH = 4
    URGENT = 5


class Body(BaseModel):
    # Reading ignores what it does not know: a newer minor must not stop an older reader.
    model_config = ConfigDict(frozen=True, extra="ignore")

    type: ClassVar[str]
    version: ClassVar[str] = "1.0"


class DocumentBody(Body):
    document_id: UUID
    owner_id: str = Field(min_length=1, max_length=200)
    accepted_at: datetime
    priority: Priority = Priority.NORMAL


class Order(DocumentBody):
    """Work for the one queue that takes this class."""


class Fact(Body):
    """Something that happened; `cause_id` is the job that made it so, where there is one."""

    cause_id: UUID | None = None


class DocumentFact(Fact, DocumentBody):
    """A fact of one document's life."""


class Answer(Body):
    """Said to one sender; `cause_id` is the job it answers, unless that could not be read."""

    cause_id: UUID | None = None
