"""What stands before the routes in a unit test: keys that say whose they are."""

from shared.web.cursors import Cursors
from shared.web.entrance import Entrance
from shared.web.guard import Authenticator, SessionKeeper
from tests.fakes.keys import SpeakingKeys


def entrance(
    authenticator: Authenticator | None = None, sessions: SessionKeeper | None = None
) -> Entrance:
    return Entrance(
        authenticator or SpeakingKeys(), Cursors("a secret of the tests"), sessions=sessions
    )
