"""What an error of PostgreSQL means to a job: away, try again, or a bug of ours.

An infrastructure error that escaped as itself would be taken for a bug and bury the document
at once, so each one becomes `Retryable` here. What is left (a broken constraint, a misspelt
column) means something to the adapter that wrote the statement, and passes unchanged.
"""

import re
from types import TracebackType

import asyncpg

from shared.errors import LostRace, Retryable

AWAY = (
    asyncpg.PostgresConnectionError,
    asyncpg.InsufficientResourcesError,  # too many connections, disk full, out of memory
    asyncpg.OperatorInterventionError,  # shutdown, start-up, a cancelled or slow statement
    asyncpg.LockNotAvailableError,
    asyncpg.PostgresIOError,
    # After a failover the old primary answers, but only to readers.
    asyncpg.ReadOnlySQLTransactionError,
    # A rotated password or a database being restored is no fault of the job either.
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    # What the driver says between the server's farewell and the end of the connection.
    asyncpg.InternalClientError,
)
TRY_AGAIN = (
    asyncpg.TransactionRollbackError,  # deadlock, serialization
    asyncpg.IdleInTransactionSessionTimeoutError,
    # A migration changed a table under a prepared statement of an open transaction.
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)
# A connection that dies while it is lent is taken back by the pool at once, so to the one who
# still holds it the driver says `released`.
CLOSED = re.compile(r"(connection|pool) is clos|connection has been released")


def translate(error: Exception) -> Retryable | None:
    """None when the error belongs to the caller and should pass as it is."""
    words = f"{type(error).__name__}: {error}"
    match error:
        case _ if isinstance(error, TRY_AGAIN):
            return LostRace(words)
        case _ if isinstance(error, AWAY):
            return Retryable(words, dependency="postgres")
        # Not its subclasses: those quote the value they dislike, which a stranger may choose.
        case _ if type(error) is asyncpg.InterfaceError and CLOSED.search(str(error)):
            return Retryable(words, dependency="postgres")
        case OSError() if _came_through_the_driver(error):  # includes TimeoutError
            return Retryable(words, dependency="postgres")
    return None


def _came_through_the_driver(error: Exception) -> bool:
    # Inside a transaction the caller may also read a file or run out of its own time. Only
    # the frames an exception passed through tell its OSError from that of the driver.
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] == "asyncpg":
            return True
        trace = trace.tb_next
    return False


class Translated:
    """`with Translated():` around every use of the driver."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception):
            translated = translate(error)
            if translated is not None:
                raise translated from error
