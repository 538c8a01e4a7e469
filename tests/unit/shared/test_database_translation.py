"""Each error of the database, and whether it is the database's, bad luck or the caller's."""

import socket

import asyncpg
import pytest
from asyncpg.exceptions import _base as driver

from shared.database.pool import DatabaseSettings, open_pool
from shared.database.translation import Translated
from shared.errors import LostRace, Rejected, Retryable

AWAY = [
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.ConnectionFailureError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DiskFullError,
    asyncpg.OutOfMemoryError,
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InvalidPasswordError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InternalClientError,
]
TRY_AGAIN = [
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.IdleInTransactionSessionTimeoutError,
]
OURS = [
    asyncpg.UniqueViolationError,
    asyncpg.CheckViolationError,
    asyncpg.UndefinedColumnError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.DataError,
]


def raise_inside(error: BaseException) -> None:
    with Translated():
        raise error


@pytest.mark.parametrize("kind", AWAY)
def test_an_absent_database_is_named_as_the_dependency(kind: type[Exception]) -> None:
    with pytest.raises(Retryable) as caught:
        raise_inside(kind("gone"))

    assert caught.value.dependency == "postgres"
    assert isinstance(caught.value.__cause__, kind)


@pytest.mark.parametrize("kind", TRY_AGAIN)
def test_bad_luck_between_transactions_pauses_nobody(kind: type[Exception]) -> None:
    with pytest.raises(LostRace) as caught:
        raise_inside(kind("collided"))

    assert caught.value.dependency is None


@pytest.mark.parametrize("kind", OURS)
def test_a_programming_error_passes_to_the_adapter(kind: type[Exception]) -> None:
    with pytest.raises(kind):
        raise_inside(kind("wrong"))


@pytest.mark.parametrize(
    "words",
    [
        "connection is closed",
        "pool is closing",
        "the underlying connection is closed",
        "cannot call Connection.fetchval(): connection has been released back to the pool",
    ],
)
def test_a_closed_connection_is_an_absent_database(words: str) -> None:
    with pytest.raises(Retryable):
        raise_inside(asyncpg.InterfaceError(words))


def test_sharing_one_connection_between_two_tasks_stays_a_bug() -> None:
    words = "cannot perform operation: another operation is in progress"

    with pytest.raises(asyncpg.InterfaceError):
        raise_inside(asyncpg.InterfaceError(words))


def test_a_value_that_reads_like_a_lost_connection_is_still_a_wrong_value() -> None:
    error = driver.DataError("invalid input: 'the connection is closed'")

    with pytest.raises(driver.DataError):
        raise_inside(error)


@pytest.mark.parametrize(
    "error", [FileNotFoundError("mine"), TimeoutError("mine"), Rejected("mine")], ids=repr
)
def test_what_the_caller_raised_is_still_what_the_caller_raised(error: Exception) -> None:
    with pytest.raises(type(error), match="mine"):
        raise_inside(error)


async def test_nobody_listening_is_an_absent_database() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    with pytest.raises(Retryable) as caught:
        await open_pool(
            DatabaseSettings(f"postgresql://a@127.0.0.1:{port}/a"), schema="a", application="a"
        )

    assert caught.value.dependency == "postgres"


def test_a_password_is_not_in_the_settings_text() -> None:
    assert "secret" not in repr(DatabaseSettings("postgresql://a:secret@h/a"))
