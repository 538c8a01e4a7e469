"""The page of who may do what is the tables that are tried."""

from deploy.local.broker_users import permissions
from deploy.local.credentials import SERVICES, USERS
from tests.broker import rights_of_roles, rights_of_users
from tests.contract.permissions import render
from tests.house.repository import ROOT


def test_the_page_is_what_the_tables_say() -> None:
    hint = "python -m tests.contract.permissions > deploy/PERMISSIONS.md"

    written = (ROOT / "deploy" / "PERMISSIONS.md").read_text()
    assert written == render(), f"write it anew: {hint}"


def test_the_tables_speak_of_everybody() -> None:
    named = {
        one for deeds in rights_of_users.TABLE.values() for deed in deeds for one in deed.may
    }

    assert named == set(USERS)
    assert set(rights_of_roles.SERVICES) == set(SERVICES)
    assert all(permissions(user) for user in USERS)
