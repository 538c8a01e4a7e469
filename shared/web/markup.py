"""What pages of descriptions are made of: one look, no script, and everything told is text.

A page can be walked by keyboard: it begins with the way past its list, and whatever scrolls
can be focused.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

Json = dict[str, Any]

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def answer_page(content: str) -> Response:
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(content, media_type="text/html", headers=headers)


def page(title: str, about: str, contents: str, parts: Iterable[str]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{text(title)}</title><link rel="stylesheet" href="/docs.css"></head>'
        '<body><a class="skip" href="#all">Past the list</a>'
        f'<main><h1>{text(title)}</h1>{about}{contents}<div id="all" tabindex="-1">'
        f"{joined(parts)}</div></main></body></html>"
    )


def listed(label: str, entries: Iterable[tuple[str, str]]) -> str:
    """Anchors, each with what is shown for it."""
    items = (f'<li><a href="#{anchor}">{shown}</a></li>' for anchor, shown in entries)
    return f'<nav aria-label="{text(label)}"><ul>{joined(items)}</ul></nav>'


def as_json(content: Json) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False)


def pre(content: str) -> str:
    return f"<pre tabindex=0>{text(content)}</pre>"


def type_of(schema: Json) -> str:
    if "$ref" in schema:
        name = text(schema["$ref"].rpartition("/")[2])
        return f'<a href="#shape-{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(type_of(one) for one in schema[several])
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "one of " + ", ".join(f"<code>{text(str(one))}</code>" for one in values)
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if schema.get("format") == "binary":
        return "bytes"
    names = [schema.get("type", "anything"), schema.get("format", "")]
    return text(" ".join(one for one in names if one)) + text(_bounds(schema))


def _bounds(schema: Json) -> str:
    told = {"minimum": "from", "maximum": "to", "maxLength": "up to", "default": "else"}
    words = [f"{word} {schema[name]}" for name, word in told.items() if name in schema]
    return f" ({', '.join(words)})" if words else ""


def table(caption: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    body = joined(f"<tr>{joined(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = joined(f'<th scope="col">{name}</th>' for name in heads)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{text(caption)}">'
        f"<table><caption>{text(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def joined(parts: Iterable[str]) -> str:
    return "".join(parts)


def prose(content: str) -> str:
    """What stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(content))


def text(content: str) -> str:
    return html.escape(content)
