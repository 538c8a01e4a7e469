"""The description of an API as a page for people: rendered here, without anybody's script.

Made from the OpenAPI document and nothing else, so the two cannot disagree.
"""

import html
import json
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from shared.web.description import operations, phrase
from shared.web.guard import POLICY, any_caller, guarded_router, public
from shared.web.problems import CONTENT_TYPE

Json = dict[str, Any]

router = guarded_router()

STYLE = Path(__file__).parent / "docs.css"
ERRORS = (
    "Every error is a Problem: 401 without a key that is known, 403 where the key may not do "
    "that, 404 also for what belongs to somebody else, 422 for what cannot be understood."
)
CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


@router.get("/docs", openapi_extra=any_caller(), include_in_schema=False)
async def show_docs(request: Request) -> Response:
    app: FastAPI = request.app
    return Response(
        render(app.openapi()),
        media_type="text/html",
        headers={"Content-Security-Policy": CONTENT_POLICY},
    )


@router.get("/docs.css", openapi_extra=public(), include_in_schema=False)
async def get_style() -> Response:
    return Response(
        STYLE.read_bytes(), HTTPStatus.OK, {"Cache-Control": "no-cache"}, media_type="text/css"
    )


def render(document: Json) -> str:
    title = _text(document["info"]["title"])
    found = list(operations(document))
    shapes: Json = document["components"]["schemas"]
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{_text(document['info'].get('description', ''))}</p>",
        '<p>For programs: <a href="/openapi.json">/openapi.json</a>.</p>',
        f"<nav aria-label='Operations'><ul>{_joined(_entry(*one) for one in found)}</ul></nav>",
        *(_operation(*one, shapes) for one in found),
        '<h2 id="shapes">Shapes</h2>',
        f"<p>{ERRORS}</p>",
        *(_shape(name, shape) for name, shape in sorted(shapes.items())),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="stylesheet" href="/docs.css"></head>'
        f"<body><main>{''.join(parts)}</main></body></html>"
    )


def _entry(method: str, path: str, operation: Json) -> str:
    return f'<li><a href="#{_anchor(operation)}">{_call(method, path)}</a></li>'


def _operation(method: str, path: str, operation: Json, shapes: Json) -> str:
    needed: list[str] = operation[POLICY]
    who = {(): "Open to everybody.", ("*",): "Needs a key."}.get(
        tuple(needed), f"Needs a key with {' or '.join(needed)}."
    )
    return (
        f'<section><h2 id="{_anchor(operation)}">{_call(method, path)}</h2>'
        f"<p>{_text(operation.get('description', ''))}</p><p class=who>{_text(who)}</p>"
        f"{_parameters(operation.get('parameters', []))}"
        f"{_bodies(operation)}{_answers(operation, shapes)}"
        f"<h3>For example</h3><pre tabindex=0>{_text(_example(method, path, operation))}</pre>"
        "</section>"
    )


def _parameters(parameters: list[Json]) -> str:
    rows = [
        (
            f"<code>{_text(one['name'])}</code>",
            one["in"] + (", required" if one.get("required") else ""),
            _type(one["schema"]),
            _text(one.get("description", "")),
        )
        for one in parameters
    ]
    return _table("Parameters", ("Name", "Where", "Type", "Meaning"), rows)


def _bodies(operation: Json) -> str:
    taken: Json = operation.get("requestBody", {}).get("content", {})
    rows = [
        (f"<code>{_text(kind)}</code>", _type(one["schema"])) for kind, one in taken.items()
    ]
    return _table("Body", ("Media type", "Shape"), rows)


def _answers(operation: Json, shapes: Json) -> str:
    rows, errors = [], []
    for status, told in sorted(operation["responses"].items()):
        if CONTENT_TYPE in told.get("content", {}):
            # Described once for all, with their shape.
            errors.append(status)
            continue
        bodies = (
            f"<code>{_text(kind)}</code> {_type(one.get('schema', {}))}"
            for kind, one in told.get("content", {}).items()
        )
        headers = (f"<code>{_text(name)}</code>" for name in told.get("headers", {}))
        what = _text(phrase(status, told["description"]))
        rows.append((status, what, "<br>".join(bodies), "<br>".join(headers)))
    table = _table("Answers", ("Status", "When", "Body", "Headers"), rows)
    shown = _shown(operation, shapes)
    table += f'<p>Errors: {", ".join(errors)}; each a <a href="#shape-Problem">Problem</a>.</p>'
    return table + (f"<pre tabindex=0>{_text(shown)}</pre>" if shown else "")


def _shown(operation: Json, shapes: Json) -> str:
    """The example of the first success, if its shape has one."""
    for status, told in sorted(operation["responses"].items()):
        for one in told.get("content", {}).values():
            name = one.get("schema", {}).get("$ref", "").rpartition("/")[2]
            examples = shapes.get(name, {}).get("examples")
            if status.startswith("2") and examples:
                return json.dumps(examples[0], indent=2, ensure_ascii=False)
    return ""


def _example(method: str, path: str, operation: Json) -> str:
    words = [
        "curl -sS",
        f"-X {method.upper()}" if method != "get" else "",
        f'"$PAPERLINE{path}"',
    ]
    if operation.get("security"):
        words.append('-H "Authorization: Bearer $KEY"')
    for one in operation.get("parameters", []):
        if one["in"] == "header" and one.get("required"):
            words.append(f'-H "{one["name"]}: …"')
    taken: Json = operation.get("requestBody", {}).get("content", {})
    for kind in list(taken)[:1]:
        body = "'{…}'" if kind == "application/json" else "@invoice.pdf"
        words.append(f'-H "Content-Type: {kind}" --data-binary {body}')
    return " ".join(word for word in words if word)


def _shape(name: str, shape: Json) -> str:
    required = shape.get("required", [])
    rows = [
        (
            f"<code>{_text(field)}</code>" + (", required" if field in required else ""),
            _type(one),
            _text(one.get("description", "")),
        )
        for field, one in shape.get("properties", {}).items()
    ]
    about = f"<p>{_text(shape.get('description', ''))}</p>"
    table = _table(f"Fields of {name}", ("Field", "Type", "Meaning"), rows)
    return f'<section><h3 id="shape-{_text(name)}">{_text(name)}</h3>{about}{table}</section>'


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = _text(schema["$ref"].rpartition("/")[2])
        return f'<a href="#shape-{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_type(one) for one in schema[several])
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "one of " + ", ".join(f"<code>{_text(str(one))}</code>" for one in values)
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if schema.get("format") == "binary":
        return "bytes"
    names = [schema.get("type", "anything"), schema.get("format", "")]
    return _text(" ".join(one for one in names if one)) + _text(_bounds(schema))


def _bounds(schema: Json) -> str:
    told = {"minimum": "from", "maximum": "to", "maxLength": "up to", "default": "else"}
    words = [f"{word} {schema[name]}" for name, word in told.items() if name in schema]
    return f" ({', '.join(words)})" if words else ""


def _table(caption: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    body = _joined(f"<tr>{_joined(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = _joined(f'<th scope="col">{name}</th>' for name in heads)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{_text(caption)}">'
        f"<table><caption>{_text(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _call(method: str, path: str) -> str:
    return f'<code><span class="method">{method.upper()}</span> {_text(path)}</code>'


def _anchor(operation: Json) -> str:
    return _text(str(operation["operationId"]))


def _joined(parts: Iterable[str]) -> str:
    return "".join(parts)


def _text(text: str) -> str:
    return html.escape(text)
