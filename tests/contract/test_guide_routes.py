"""The routes that guides name are routes, whether they are named whole or by their end."""

import re
from collections.abc import Iterator

from shared.web.description import operations
from tests.contract.apis import DOCUMENTS
from tests.house.guides import guides
from tests.house.repository import Source, require

NAMED = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE)(?:,? (?:GET|PUT))*) ([^` ?]+)")
PUT_IN = re.compile(r"\{\w+\}|<\w+>|\$\w+")
# Pages are for people, and other names of a route go without a word of their own.
UNDESCRIBED = {"GET /", "POST /documents", "GET /documents/{id}/status"}
ROUTES = {
    (method.upper(), tuple(path.strip("/").split("/")))
    for document in DOCUMENTS.values()
    for method, path, _ in operations(document)
}


def test_a_route_that_a_guide_names_is_one() -> None:
    require(_unknown, guides())


def test_routes_are_found_in_the_guides() -> None:
    assert sum(len(list(_named(one))) for one in guides()) > 40


def _unknown(guide: Source) -> list[str]:
    return [f"{method} {path}" for method, path in _named(guide) if not _is_one(method, path)]


def _named(guide: Source) -> Iterator[tuple[str, str]]:
    for methods, path in NAMED.findall(guide.text()):
        for method in re.findall(r"\w+", methods):
            if f"{method} {path}" not in UNDESCRIBED:
                yield method, path


def _is_one(method: str, shown: str) -> bool:
    path = re.sub(r"^\$\w+", "", shown)
    by_its_end = path.startswith(("…", "/{"))
    wanted = path.strip("/").split("/")
    if by_its_end and wanted[0] == "…":
        wanted = wanted[1:]
    open_end = wanted[-1] == "…"
    wanted = wanted[:-1] if open_end else wanted
    return any(
        method == known and _fits(wanted, route, by_its_end, open_end)
        for known, route in ROUTES
    )


def _fits(wanted: list[str], route: tuple[str, ...], by_its_end: bool, open_end: bool) -> bool:
    if by_its_end:
        route = route[-len(wanted) :]
    elif open_end:
        route = route[: len(wanted)]
    return len(route) == len(wanted) and all(
        there.startswith("{") or (there == one and not PUT_IN.fullmatch(one))
        for one, there in zip(wanted, route, strict=True)
    )
