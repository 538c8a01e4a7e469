"""The pages of a document as pictures and words.

What stands under an address never changes while the document exists, so a browser asks once
and holds it for the time of a sitting; a deleted document is not to lie in it for a year.
"""

from http import HTTPStatus
from typing import Annotated, Any, Self
from uuid import UUID

from fastapi import Path, Query, Request, Response
from pydantic import BaseModel, Field

from services.review.api.asking import Use
from services.review.api.problems import told
from services.review.domain.pages import RENDERER, ItemPages, Page, PageWords, Width
from services.review.handlers.pages import show_pages, show_picture, show_words
from shared.web.downloads import SANDBOX
from shared.web.etags import unchanged
from shared.web.guard import guarded_router, needs

router = guarded_router()

READ = needs("review:items:read")
NUMBER_MAX = 100_000
LASTING = "private, max-age=3600, immutable"
BOX = {"minItems": 4, "maxItems": 4}
PICTURE: dict[int | str, dict[str, Any]] = {
    HTTPStatus.OK: {
        "description": "The page, upright as it is displayed.",
        "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
    },
    HTTPStatus.NOT_MODIFIED: {"description": "What you have is still what it is."},
}

Number = Annotated[int, Path(ge=1, le=NUMBER_MAX, description="From 1.")]


class PageView(BaseModel):
    """`width` and `height` are of the page as it is displayed, in points; `source` says where
    its words come from."""

    number: int
    width: float
    height: float
    source: str | None
    image: str
    words: str

    @classmethod
    def of(cls, document_id: UUID, page: Page) -> Self:
        home = f"/v1/items/{document_id}/pages/{page.number}"
        return cls(
            number=page.number,
            width=page.width,
            height=page.height,
            source=page.source,
            image=f"{home}.png",
            words=f"{home}/words",
        )


class PageList(BaseModel):
    pages: list[PageView]
    # That the picture of a page can be asked for in, in pixels.
    widths: list[int]


class WordView(BaseModel):
    text: str
    bbox: tuple[float, float, float, float] = Field(
        description="Left, top, right, bottom in 0..1 of the page, from its top left.",
        examples=[(0.1, 0.2, 0.18, 0.21)],
    )


class WordList(BaseModel):
    words: list[WordView]
    # pdf_text or ocr; null of a page without words.
    source: str | None

    @classmethod
    def of(cls, found: PageWords) -> Self:
        words = [WordView(text=one.text, bbox=one.bbox) for one in found.words]
        return cls(words=words, source=found.source)


@router.get("/v1/items/{document_id}/pages", openapi_extra=READ)
async def list_pages(document_id: UUID, use: Use) -> PageList:
    """None for an invoice that is only data: then the fields are all there is to see."""
    with told():
        known = await show_pages(document_id, use)
    return PageList(pages=views_of(known), widths=[*Width])


@router.get(
    "/v1/items/{document_id}/pages/{number}.png",
    openapi_extra=READ,
    response_class=Response,
    responses=PICTURE,
)
async def get_picture(
    document_id: UUID,
    number: Number,
    use: Use,
    request: Request,
    width: Annotated[Width, Query(description="At most so many pixels.")] = Width.READING,
) -> Response:
    """Never wider than the page itself, where that is an image. 404 when there is no such page,
    422 when the file cannot be shown."""
    with told():
        known = await show_pages(document_id, use)
        known.page(number)
        headers = {
            "Cache-Control": LASTING,
            "Content-Security-Policy": SANDBOX,
            "ETag": f'"{RENDERER}-{known.sha256[:32]}-{number}-{width.value}"',
        }
        if unchanged(request, headers["ETag"]):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        picture = await show_picture(document_id, number, width, use)
    return Response(picture, media_type="image/png", headers=headers)


@router.get("/v1/items/{document_id}/pages/{number}/words", openapi_extra=READ)
async def list_words(document_id: UUID, number: Number, use: Use) -> WordList:
    """To fill a field with: what is printed on the page, where, and by which source."""
    with told():
        return WordList.of(await show_words(document_id, number, use))


def views_of(known: ItemPages) -> list[PageView]:
    return [PageView.of(known.document_id, page) for page in known.pages or ()]
