"""What stands before the routes in a unit test: keys that say whose they are."""

from shared.web.audit import ReadableLog
from shared.web.cursors import Cursors
from shared.web.entrance import Entrance
from shared.web.guard import Authenticator, SessionKeeper
from tests.fakes.audit import InMemoryAuditLog
from tests.fakes.keys import SpeakingKeys


def entrance(
    authenticator: Authenticator | None = None,
    sessions: SessionKeeper | None = None,
    audit: ReadableLog | None = None,
) -> Entrance:
    return Entrance(
        authenticator or SpeakingKeys(),
        Cursors("a secret of the tests"),
        sessions=sessions,
        audit=audit or InMemoryAuditLog(),
    )
