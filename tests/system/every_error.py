"""A check of ours beside those that schemathesis brings: read by its process, not by pytest."""

from typing import Any

import schemathesis

PROBLEM = "application/problem+json"


@schemathesis.check
def every_error_is_a_problem(
    _context: schemathesis.CheckContext,
    response: schemathesis.Response,
    _case: schemathesis.Case[Any],
) -> None:
    kind = response.headers.get("content-type", ["nothing"])[0]
    told = f"{response.status_code} is answered with {kind}"
    assert response.status_code < 400 or kind == PROBLEM, told
