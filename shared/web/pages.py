"""Pages as they are served: files read once, under a policy that lets nothing else in.

Nothing is built and nothing comes from elsewhere: what the browser runs is what stands in a
service's `pages/` and, where pages share it, in `pages/` here. What differs between
installations is put into the page's head.
"""

import hashlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from shared.web.etags import unchanged
from shared.web.guard import guarded_router, public
from shared.web.problems import Problem

router = guarded_router()

SHARED = Path(__file__).parent / "pages"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


@dataclass(frozen=True, slots=True)
class File:
    content: bytes
    media_type: str
    etag: str


def files_of(folder: Path, told: Mapping[str, str]) -> Mapping[str, File]:
    """By name, the shared ones too; the page itself under the empty one, being told."""
    paths = (*SHARED.iterdir(), *folder.iterdir())
    files = {path.name: path for path in paths if path.suffix in TYPES}
    text = files.pop("index.html").read_text()
    for name, value in told.items():
        text = text.replace(f"{{{name}}}", html.escape(value))
    kept = {name: _file(path.read_bytes(), path.suffix) for name, path in files.items()}
    return {**kept, "": _file(text.encode(), ".html")}


@router.get("/", openapi_extra=public(), include_in_schema=False)
async def get_page(request: Request) -> Response:
    return _answer(request, "")


@router.get("/page/{name}", openapi_extra=public(), include_in_schema=False)
async def get_file(name: str, request: Request) -> Response:
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    page: Mapping[str, File] = request.app.state.page
    file = page.get(name)
    if file is None:
        raise Problem(HTTPStatus.NOT_FOUND, "not-found")
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": POLICY,
        "ETag": file.etag,
        # The pages work without a camera, a place or a payment.
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    }
    if unchanged(request, file.etag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)


def _file(content: bytes, suffix: str) -> File:
    return File(content, TYPES[suffix], f'"{hashlib.sha256(content).hexdigest()[:32]}"')
