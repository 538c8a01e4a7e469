"""What a request may say is said by its model: a client sets nothing that is not its to set."""

from collections.abc import Iterator

from shared.web.description import operations
from tests.contract.apis import DOCUMENTS, Json

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
