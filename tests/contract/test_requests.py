"""What a request may say is said by its model: a client sets nothing that is not its to set."""

from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest

from shared.web.description import operations
from tests.contract.apis import APPS, DOCUMENTS, Json
from tests.fakes.keys import key_of

# What somebody mends in a letter is checked against the letter's own schema; what a client
# writes beside a document is its own, and goes by no name of ours.
FREE = {"monitor EditRequest.patch", "ingest .metadata", "ingest .items.metadata"}


def bodies() -> Iterator[tuple[str, Json, Json]]:
    """Service, description and schema of every JSON that a client may send."""
    for service, document in DOCUMENTS.items():
        for _, _, operation in operations(document):
            content = operation.get("requestBody", {}).get("content", {})
            if schema := content.get("application/json", {}).get("schema"):
                yield service, document, schema


def objects(name: str, schema: Json, document: Json) -> Iterator[tuple[str, Json]]:
    """Every object within, by the name of its model or of where it stands."""
    if reference := schema.get("$ref"):
        model = reference.rpartition("/")[2]
        yield from objects(model, document["components"]["schemas"][model], document)
        return
    if schema.get("type") == "object" or "properties" in schema:
        yield name, schema
    for field, inner in schema.get("properties", {}).items():
        yield from objects(f"{name}.{field}", inner, document)
    inside = [*schema.get("anyOf", []), *schema.get("allOf", []), *schema.get("oneOf", [])]
    for inner in (*inside, *([schema["items"]] if "items" in schema else [])):
        yield from objects(name, inner, document)


def test_a_request_says_nothing_that_its_model_does_not_know() -> None:
    found = [
        (f"{service} {name}", schema)
        for service, document, body in bodies()
        for name, schema in objects("", body, document)
    ]

    assert found
    opened = {name for name, one in found if one.get("additionalProperties") is not False}
    assert opened == FREE


READERS = [
    (service, method, path)
    for service, document in DOCUMENTS.items()
    for method, path, operation in operations(document)
    if "application/json" in operation.get("requestBody", {}).get("content", {})
]


def test_those_that_read_json_are_found() -> None:
    assert {service for service, _, _ in READERS} == set(APPS)
    assert len(READERS) >= 30


@pytest.mark.parametrize(("service", "method", "path"), READERS)
async def test_a_key_that_stands_twice_is_refused_wherever_json_is_read(
    service: str, method: str, path: str
) -> None:
    transport = httpx.ASGITransport(APPS[service], raise_app_exceptions=False)
    headers = {**key_of("anna", "admin"), "Content-Type": "application/json"}
    while "{" in path:
        name = path.partition("{")[2].partition("}")[0]
        path = path.replace(f"{{{name}}}", str(uuid4()))

    async with httpx.AsyncClient(transport=transport, base_url=f"http://{service}") as client:
        answer = await client.request(
            method, path, content=b'{"a": [{"b": 1, "b": 2}]}', headers=headers
        )

    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, "/problems/invalid")
    assert problem["errors"] == [
        {"pointer": "/body/a/0/b", "detail": "a key stands twice in an object"}
    ]
