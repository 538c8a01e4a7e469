"""The table of roles, how keys look, and how long a caller is remembered."""

import re

import pytest

from shared.access.keys import (
    KEY,
    Caller,
    fingerprint,
    is_session,
    key_id_of,
    new_key,
    new_session,
)
from shared.access.recent import CALLERS_MAX, KEPT_S, RecentCallers
from shared.access.roles import PERMISSIONS, ROLES, check_roles, permissions_of

ANNA = Caller("acme", "abcdefghijkl", "Anna", frozenset({"reviewer"}), frozenset())

FORBIDDEN = [
    ("submitter", "documents:all:read"),
    ("submitter", "files:original:read"),
    ("submitter", "review:items:approve"),
    ("reviewer", "documents:own:create"),
    ("reviewer", "dlq:messages:view"),
    ("reviewer", "audit:all:read"),
    ("reviewer", "review:items:reopen"),
    ("operator", "review:items:correct"),
    ("operator", "files:original:read"),
    ("operator", "dlq:payload:view"),
    ("operator", "dlq:messages:edit"),
    ("editor", "dlq:messages:purge"),
    ("lead", "keys:all:manage"),
    ("operator", "settings:all:write"),
]


@pytest.mark.parametrize(("role", "permission"), FORBIDDEN)
def test_a_role_does_not_reach_into_the_work_of_another(role: str, permission: str) -> None:
    assert permission in PERMISSIONS
    assert permission not in ROLES[role]


def test_an_admin_may_do_everything_there_is() -> None:
    assert ROLES["admin"] == PERMISSIONS


def test_a_permission_names_area_resource_and_action() -> None:
    assert all(re.fullmatch(r"[a-z]+:[a-z]+:[a-z]+", one) for one in PERMISSIONS)


def test_two_roles_add_up_and_an_unknown_one_gives_nothing() -> None:
    both = permissions_of(["submitter", "reviewer", "from-a-newer-version"])

    assert both == ROLES["submitter"] | ROLES["reviewer"]


def test_a_scope_narrows_a_key_and_never_widens_it() -> None:
    scopes = ["documents:own:read", "keys:all:manage"]

    assert permissions_of(["submitter"], scopes) == {"documents:own:read"}


@pytest.mark.parametrize(("roles", "scopes"), [(["admn"], []), (["admin"], ["documents:read"])])
def test_a_misspelt_role_or_scope_is_named(roles: list[str], scopes: list[str]) -> None:
    with pytest.raises(ValueError, match=r"unknown: (admn|documents:read)"):
        check_roles(roles, scopes)


def test_a_key_is_recognisable_and_never_the_same() -> None:
    keys = {new_key() for _ in range(50)}

    assert len({key for _, key in keys}) == len({key_id for key_id, _ in keys}) == 50
    for key_id, key in keys:
        assert KEY.fullmatch(key)
        assert key_id_of(key) == key_id
        assert not is_session(key)


@pytest.mark.parametrize(
    "key",
    ["", "paperline_", "paperline_abcdefghijkl_short", f"other_abcdefghijkl_{'x' * 43}",
     f"paperline_ABCDEFGHIJKL_{'x' * 43}", f"paperline_abcdefghijkl_{'x' * 43}\n",
     f"paperline_abcdefghijkl_{'x' * 44}", "x" * 100_000],
)  # fmt: skip
def test_what_does_not_look_like_a_key_is_none(key: str) -> None:
    assert key_id_of(key) is None


def test_a_session_token_is_no_key() -> None:
    token = new_session()

    assert is_session(token)
    assert key_id_of(token) is None


def test_a_caller_is_remembered_for_two_seconds_from_the_question() -> None:
    now_s = 100.0
    recent = RecentCallers(lambda: now_s)
    recent.keep(b"a", ANNA, asked_at=99.5)

    assert recent.find(b"a") == ANNA
    assert recent.find(b"b") is None
    now_s = 99.5 + KEPT_S
    assert recent.find(b"a") is None


def test_the_number_of_remembered_callers_is_bounded() -> None:
    recent = RecentCallers(lambda: 0.0)
    marks = [fingerprint(str(n)) for n in range(CALLERS_MAX + 1)]
    for mark in marks:
        recent.keep(mark, ANNA, asked_at=0.0)

    assert recent.find(marks[0]) is None
    assert recent.find(marks[1]) == recent.find(marks[-1]) == ANNA
