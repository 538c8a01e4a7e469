"""What every route asks: behind which ports it stands, and whose documents are seen."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from services.ingest.api.admissions import admission_of
from services.ingest.domain.documents import Document
from services.ingest.domain.erasing import ERASING
from services.ingest.ports import Ports
from shared.web.guard import Caller, needs
from shared.web.problems import Problem

SEE_ALL = "documents:all:read"
READ = needs("documents:own:read", SEE_ALL)


def ports_of(request: Request) -> Ports:
    """The ports, bound to whoever asks: what is accepted through them is counted."""
    use: Ports = request.app.state.ports
    return use.of_request(admission_of(request))


async def _ports(request: Request) -> Ports:
    return ports_of(request)


Use = Annotated[Ports, Depends(_ports)]


def owner_of(caller: Caller, everybodys: str = SEE_ALL) -> str | None:
    """None for those whose permission reaches the documents of all."""
    return None if everybodys in caller.permissions else caller.owner_id


async def find(
    document_id: UUID,
    caller: Caller,
    use: Ports,
    *,
    everybodys: str = SEE_ALL,
    deleted: HTTPStatus | None = HTTPStatus.GONE,
) -> Document:
    """Raises the problem that tells why the caller does not get it.

    `deleted`: how a tombstone is answered; None is for those who may have it.
    """
    owner_id = owner_of(caller, everybodys)
    found = await use.documents.find_document(document_id, owner_id=owner_id)
    if found is None or (found.status == "deleted" and deleted is HTTPStatus.NOT_FOUND):
        # Somebody else's is as absent as one that never was.
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_document", "There is no such document.")
    if found.status == "deleted" and deleted is not None:
        when = f"{found.updated_at:%Y-%m-%d}"
        erasing = " What is left of it is being erased." if found.stage == ERASING else ""
        raise Problem(deleted, "deleted", f"The document was deleted on {when}.{erasing}")
    return found
