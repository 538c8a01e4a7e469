"""Every check there is, in the order of the promises."""

from deploy.verify import audit, carrying, clients, leaks, provider, stored
from deploy.verify.looking import Check
from deploy.verify.promises import PROMISES
from deploy.verify.tables import TABLES

_ALL: tuple[Check, ...] = (
    *(one.check() for one in TABLES),
    *audit.CHECKS,
    *carrying.CHECKS,
    *clients.CHECKS,
    *leaks.CHECKS,
    *provider.CHECKS,
    *stored.CHECKS,
)
_PLACES = {promise: place for place, promise in enumerate(PROMISES)}
CHECKS = tuple(sorted(_ALL, key=lambda one: _PLACES[one.promise]))
