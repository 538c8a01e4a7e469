"""The routes of batches: hand in by reference, look, cancel, fetch what was read of all."""

from dataclasses import asdict
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, Field

from services.ingest.api.asking import READ, SEE_ALL, Use, owner_of
from services.ingest.api.endings import CANCEL, CANCEL_ALL
from services.ingest.api.uploads import idempotency_key
from services.ingest.domain.batches import ITEMS_MAX, Batch, Item, Member, counts, progress
from services.ingest.domain.documents import FILENAME_CHARS_MAX, PRIORITIES
from services.ingest.handlers.batches import cancel_batch, receive_batch
from services.ingest.ports import Ports
from shared.web.guard import Caller, CurrentCaller, guarded_router, needs
from shared.web.problems import Problem

router = guarded_router()

CREATE = needs("documents:own:create")
LOOK_AGAIN_S = 2


class Reference(BaseModel):
    content_key: Annotated[str, Field(pattern=r"^sha256/[0-9a-f]{2}/[0-9a-f]{64}$")]
    filename: Annotated[str, Field(max_length=FILENAME_CHARS_MAX)] = ""
    priority: Annotated[str, Field(pattern=f"^({'|'.join(PRIORITIES)})$")] = "normal"


class BatchRequest(BaseModel):
    items: Annotated[list[Reference], Field(min_length=1, max_length=ITEMS_MAX)]


class BatchView(BaseModel):
    batch_id: UUID
    status: str
    progress: int
    revision: int
    counts: dict[str, int]
    rejected: list[dict[str, Any]]
    created_at: datetime
    completed_at: datetime | None
    links: dict[str, str]
    items: list[dict[str, Any]]


class Cancelled(BaseModel):
    batch_id: UUID
    cancelled: int


@router.post("/v1/batches", status_code=HTTPStatus.ACCEPTED, openapi_extra=CREATE)
async def create_batch(
    asked: BatchRequest, request: Request, response: Response, caller: CurrentCaller, use: Use
) -> BatchView:
    """Documents by the content keys of what was uploaded before."""
    items = [
        Item(one.content_key, one.filename, PRIORITIES[one.priority]) for one in asked.items
    ]
    received = await receive_batch(caller.owner_id, items, idempotency_key(request), use)
    if received is None:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "nothing_accepted",
            "None of these contents was uploaded by you before.",
        )
    response.headers["Location"] = _links(received.batch)["self"]
    response.headers["Retry-After"] = str(LOOK_AGAIN_S)
    if received.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return await _view(received.batch, use)


@router.get("/v1/batches/{batch_id}", openapi_extra=READ)
async def get_batch(batch_id: UUID, caller: CurrentCaller, use: Use) -> BatchView:
    return await _view(await _find(batch_id, caller, use), use)


@router.get("/v1/batches/{batch_id}/result", openapi_extra=READ)
async def get_batch_result(batch_id: UUID, caller: CurrentCaller, use: Use) -> BatchView:
    """What was read of each document, once all have ended."""
    batch = await _find(batch_id, caller, use)
    view = await _view(batch, use, whole=True)
    if view.status != "completed":
        raise Problem(
            HTTPStatus.CONFLICT,
            "not_ready",
            f"The batch is at {view.progress} %; ask again later.",
            headers={"Retry-After": str(LOOK_AGAIN_S)},
        )
    return view


@router.post("/v1/batches/{batch_id}/cancel", openapi_extra=CANCEL)
async def cancel(batch_id: UUID, caller: CurrentCaller, use: Use) -> Cancelled:
    """What has not ended yet; the others keep their end."""
    batch = await _find(batch_id, caller, use, everybodys=CANCEL_ALL)
    count = await cancel_batch(batch_id, owner_id=batch.owner_id, use=use)
    return Cancelled(batch_id=batch_id, cancelled=count)


async def _find(
    batch_id: UUID, caller: Caller, use: Ports, *, everybodys: str = SEE_ALL
) -> Batch:
    found = await use.batches.find_batch(batch_id, owner_id=owner_of(caller, everybodys))
    if found is None:
        # Somebody else's is as absent as one that never was.
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_batch", "There is no such batch.")
    return found


async def _view(batch: Batch, use: Ports, *, whole: bool = False) -> BatchView:
    members = await use.batches.list_members(batch.batch_id)
    found = counts(members)
    under_way = found.get("queued", 0) + found.get("processing", 0)
    return BatchView(
        batch_id=batch.batch_id,
        status="processing" if under_way else "completed",
        progress=progress(members),
        revision=batch.revision,
        counts=found,
        rejected=[dict(one) for one in batch.rejected],
        created_at=batch.created_at,
        completed_at=batch.completed_at,
        links=_links(batch),
        items=[_item(member, whole=whole) for member in members],
    )


def _item(member: Member, *, whole: bool) -> dict[str, Any]:
    shown = asdict(member)
    if not whole:
        for name in ("vendor_name", "invoice_number", "invoice_date", "total", "currency"):
            del shown[name]
    return shown


def _links(batch: Batch) -> dict[str, str]:
    own = f"/v1/batches/{batch.batch_id}"
    return {"self": own, "result": f"{own}/result", "cancel": f"{own}/cancel"}
