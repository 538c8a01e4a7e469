"""Unchanged since you asked: conditional requests by a strong entity tag (RFC 9110, 13)."""

from starlette.requests import Request


def unchanged(request: Request, etag: str) -> bool:
    asked = request.headers.get("if-none-match", "")
    tags = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
    return etag in tags or "*" in tags
