"""What the four APIs say of themselves: complete, well formed, as the README promises."""

import re

import pytest
import schemathesis

from shared.web.description import operations
from shared.web.docs import render
from tests.contract.apis import DOCUMENTS, Json
from tests.house.repository import ROOT

PROBLEM = "application/problem+json"
# Where the README's calls go, by the name of their address.
SERVICE_OF = {
    "PAPERLINE": "ingest",
    "REVIEW": "review",
    "MONITOR": "monitor",
    "STORAGE": "storage",
}
CALL = re.compile(
    r'curl -sS(?: -X (\w+))? "\$(\w+)(/[^"?]*)(?:\?[^"]*)?"(.*?)(?=\ncurl|\n\n|\n#)', re.S
)

OPERATIONS = {
    f"{service} {method.upper()} {path}": operation
    for service, document in DOCUMENTS.items()
    for method, path, operation in operations(document)
}

every_document = pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
every_operation = pytest.mark.parametrize(
    "operation", OPERATIONS.values(), ids=OPERATIONS.keys()
)


@every_document
def test_a_description_is_well_formed(document: Json) -> None:
    schemathesis.openapi.from_dict(document).validate()

    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))
    assert "HTTPValidationError" not in str(document)


@every_operation
def test_every_route_says_what_it_is_for_and_who_may(operation: Json) -> None:
    assert operation["description"].strip()
    assert operation["x-permissions"] == [] or operation["security"]


@every_operation
def test_every_error_is_described_as_a_problem(operation: Json) -> None:
    errors = {
        status: told
        for status, told in operation["responses"].items()
        if status.startswith(("4", "5"))
    }

    assert {"4XX", "5XX"} <= set(errors)
    assert {"401", "403"} <= set(errors) or operation["x-permissions"] == []
    assert {kind for told in errors.values() for kind in told["content"]} == {PROBLEM}


@every_operation
def test_an_answer_that_is_not_the_end_says_where_to_look(operation: Json) -> None:
    accepted = operation["responses"].get("202")
    if accepted is None or operation["summary"] == "Reprocess":
        return

    assert {"Location", "Retry-After"} <= set(accepted["headers"])


@every_document
def test_the_page_for_people_tells_of_every_operation_without_a_script(document: Json) -> None:
    page = render(document)

    for _, path, operation in operations(document):
        assert f'id="{operation["operationId"]}"' in page
        assert path in page
    assert not re.findall(r"<script|\sstyle=|\son\w+=|https?://", page)


def test_what_a_description_says_stays_text_on_its_page() -> None:
    document = dict(DOCUMENTS["review"], info={"title": "<b>", "description": '"><script>'})

    page = render(document)

    assert "<b>" not in page
    assert "<script>" not in page


def test_the_calls_of_the_readme_exist() -> None:
    calls = CALL.findall((ROOT / "README.md").read_text())

    found = {
        f"{SERVICE_OF[address]} {method or ('POST' if '--data' in more else 'GET')} "
        + re.sub(r"\$(\w+)", "{}", path)
        for method, address, path, more in calls
    }

    known = {re.sub(r"\{\w+\}", "{}", one) for one in OPERATIONS}
    assert len(found) >= 5
    assert found <= known
