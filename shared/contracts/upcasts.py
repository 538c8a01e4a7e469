"""From an older major version to the newest, one pure step at a time.

Handlers see the newest version only. A step takes the decoded body of version N and returns
that of N + 1; steps are never edited once their target version has been published.
"""

from collections.abc import Callable, Mapping
from typing import Any

type_and_major = tuple[str, int]
Step = Callable[[dict[str, Any]], dict[str, Any]]

STEPS: Mapping[type_and_major, Step] = {}


def upcast(
    type_: str,
    major: int,
    newest: int,
    body: dict[str, Any],
    steps: Mapping[type_and_major, Step] = STEPS,
) -> dict[str, Any]:
    for step_from in range(major, newest):
        body = steps[type_, step_from](body)
    return body
