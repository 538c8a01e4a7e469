"""The description of an API as a page for people: rendered here, without anybody's script.

Made from the OpenAPI document and nothing else, so the two cannot disagree.
"""

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from shared.web.description import operations, phrase
from shared.web.guard import POLICY, any_caller, guarded_router, public
from shared.web.markup import answer_page, listed, page, pre, table, text, type_of
from shared.web.problems import CONTENT_TYPE

Json = dict[str, Any]

router = guarded_router()

STYLE = Path(__file__).parent / "docs.css"
ERRORS = (
    "Every error is a Problem: 401 without a key that is known, 403 where the key may not do "
    "that, 404 also for what belongs to somebody else, 422 for what cannot be understood."
)


@router.get("/docs", openapi_extra=any_caller(), include_in_schema=False)
async def show_docs(request: Request) -> Response:
    app: FastAPI = request.app
    return answer_page(render(app.openapi()))


@router.get("/docs.css", openapi_extra=public(), include_in_schema=False)
async def get_style() -> Response:
    return Response(
        STYLE.read_bytes(), HTTPStatus.OK, {"Cache-Control": "no-cache"}, media_type="text/css"
    )


def render(document: Json) -> str:
    title = document["info"]["title"]
    found = list(operations(document))
    shapes: Json = document["components"]["schemas"]
    about = (
        f"<p>{text(document['info'].get('description', ''))}</p>"
        '<p>For programs: <a href="/openapi.json">/openapi.json</a>. What travels between the '
        'services: <a href="/docs/messages">the messages</a>.</p>'
    )
    parts = [
        *(_operation(*one, shapes) for one in found),
        '<h2 id="shapes">Shapes</h2>',
        f"<p>{ERRORS}</p>",
        *(_shape(name, shape) for name, shape in sorted(shapes.items())),
    ]
    entries = [(_anchor(operation), _call(method, path)) for method, path, operation in found]
    return page(title, about, listed("Operations", entries), parts)


def _operation(method: str, path: str, operation: Json, shapes: Json) -> str:
    needed: list[str] = operation[POLICY]
    who = {(): "Open to everybody.", ("*",): "Needs a key."}.get(
        tuple(needed), f"Needs a key with {' or '.join(needed)}."
    )
    return (
        f'<section><h2 id="{_anchor(operation)}">{_call(method, path)}</h2>'
        f"<p>{text(operation.get('description', ''))}</p><p class=who>{text(who)}</p>"
        f"{_parameters(operation.get('parameters', []))}"
        f"{_bodies(operation)}{_answers(operation, shapes)}"
        f"<h3>For example</h3>{pre(_example(method, path, operation))}</section>"
    )


def _parameters(parameters: list[Json]) -> str:
    rows = [
        (
            f"<code>{text(one['name'])}</code>",
            one["in"] + (", required" if one.get("required") else ""),
            type_of(one["schema"]),
            text(one.get("description", "")),
        )
        for one in parameters
    ]
    return table("Parameters", ("Name", "Where", "Type", "Meaning"), rows)


def _bodies(operation: Json) -> str:
    taken: Json = operation.get("requestBody", {}).get("content", {})
    rows = [
        (f"<code>{text(kind)}</code>", type_of(one["schema"])) for kind, one in taken.items()
    ]
    return table("Body", ("Media type", "Shape"), rows)


def _answers(operation: Json, shapes: Json) -> str:
    rows, errors = [], []
    for status, told in sorted(operation["responses"].items()):
        if CONTENT_TYPE in told.get("content", {}):
            # Described once for all, with their shape.
            errors.append(status)
            continue
        bodies = (
            f"<code>{text(kind)}</code> {type_of(one.get('schema', {}))}"
            for kind, one in told.get("content", {}).items()
        )
        headers = (f"<code>{text(name)}</code>" for name in told.get("headers", {}))
        what = text(phrase(status, told["description"]))
        rows.append((status, what, "<br>".join(bodies), "<br>".join(headers)))
    answered = table("Answers", ("Status", "When", "Body", "Headers"), rows)
    problem = '<a href="#shape-Problem">Problem</a>'
    refused = f"<p>Errors: {', '.join(errors)}; each a {problem}.</p>"
    shown = _shown(operation, shapes)
    return answered + refused + (pre(shown) if shown else "")


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
            f"<code>{text(field)}</code>" + (", required" if field in required else ""),
            type_of(one),
            text(one.get("description", "")),
        )
        for field, one in shape.get("properties", {}).items()
    ]
    about = f"<p>{text(shape.get('description', ''))}</p>"
    fields = table(f"Fields of {name}", ("Field", "Type", "Meaning"), rows)
    return f'<section><h3 id="shape-{text(name)}">{text(name)}</h3>{about}{fields}</section>'


def _call(method: str, path: str) -> str:
    return f'<code><span class="method">{method.upper()}</span> {text(path)}</code>'


def _anchor(operation: Json) -> str:
    return text(str(operation["operationId"]))
