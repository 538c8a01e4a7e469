"""What each user of the broker may do: the table is the documentation, and it is tried.

A deed is done by each user on a channel of its own, on a broker that holds the whole plan.
`{own}` is the first queue of the service; users that are no service try that of ingest.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiormq.abc import AbstractChannel

from deploy.local.credentials import SERVICES, USERS
from shared.topology.queues import WORK_QUEUES

MAKERS = frozenset({"admin", "topology"})
EVERY_SERVICE = frozenset(SERVICES) | MAKERS
EVERYBODY = frozenset(USERS)

Act = Callable[[AbstractChannel, str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Deed:
    what: str
    act: Act
    may: frozenset[str]
    # For the page: what the table cannot say.
    note: str = ""


def own_queue(user: str) -> str:
    return next((one.name for one in WORK_QUEUES if one.service == user), "ingest.submit")


def publish(exchange: str, routing_key: str) -> Act:
    return lambda channel, _: channel.basic_publish(
        b"{}", exchange=exchange, routing_key=routing_key, mandatory=False
    )


def take(queue: str) -> Act:
    return lambda channel, _: channel.basic_get(queue, no_ack=False)


PUBLISHING = "publish"
READING = "read"
CHANGING = "change what there is"

TABLE: Mapping[str, tuple[Deed, ...]] = {
    PUBLISHING: (
        Deed("a submission to `ingest`", publish("ingest", "document.submit"), EVERYBODY),
        Deed("an order to `jobs`", publish("jobs", "extractor.extract"), EVERY_SERVICE),
        Deed("a fact to `events`", publish("events", "document.stored"), EVERY_SERVICE),
        Deed(
            "`document.accepted`",
            publish("events", "document.accepted"),
            MAKERS | {"ingest"},
            "whether a document was taken in or withdrawn is said by ingest alone",
        ),
        Deed(
            "`document.cancelled`", publish("events", "document.cancelled"), MAKERS | {"ingest"}
        ),
        Deed("`document.deleted`", publish("events", "document.deleted"), MAKERS | {"ingest"}),
        Deed("a dead letter to `dead`", publish("dead", "storage.store"), EVERY_SERVICE),
        Deed(
            "what waits, to a rung",
            publish("delay.00", "0." * 15 + "1.extractor.extract"),
            EVERY_SERVICE,
        ),
        Deed(
            "to a queue by its name (the default exchange)",
            publish("", "ingest.submit"),
            MAKERS | {"ingest"},
            "only ingest answers senders",
        ),
        Deed("to `unroutable`", publish("unroutable", ""), MAKERS),
        Deed("to an exchange of the broker", publish("amq.topic", "any"), MAKERS),
    ),
    READING: (
        Deed(
            "its own queue",
            lambda channel, user: channel.basic_get(own_queue(user)),
            EVERY_SERVICE,
        ),
        Deed("`extractor.extract`", take("extractor.extract"), MAKERS | {"extractor"}),
        Deed("`storage.store`", take("storage.store"), MAKERS | {"storage"}),
        Deed("`review.open`", take("review.open"), MAKERS | {"review"}),
        Deed(
            "a dead queue, also its own",
            take("extractor.extract.dead"),
            MAKERS | {"monitor"},
        ),
        Deed("`unroutable`", take("unroutable"), MAKERS | {"monitor"}),
        Deed("a rung of the ladder", take("delay.05"), MAKERS),
        Deed(
            "the consumer's way",
            lambda channel, user: channel.basic_consume(own_queue(user), _ignored),
            EVERY_SERVICE,
        ),
    ),
    CHANGING: (
        Deed(
            "a queue that the broker names, for answers",
            lambda channel, _: channel.queue_declare("", exclusive=True),
            MAKERS | {"publisher"},
        ),
        Deed(
            "a queue with a name",
            lambda channel, user: channel.queue_declare(f"{user}.mine", durable=True),
            MAKERS,
        ),
        Deed(
            "an exchange",
            lambda channel, user: channel.exchange_declare(f"{user}.mine"),
            MAKERS,
        ),
        Deed(
            "a binding that would hear all facts",
            lambda channel, user: channel.queue_bind(own_queue(user), "events", "#"),
            MAKERS,
        ),
        Deed(
            "a binding away",
            lambda channel, user: channel.queue_unbind(
                own_queue(user), "jobs", own_queue(user)
            ),
            MAKERS,
        ),
        Deed(
            "empty another's queue",
            lambda channel, _: channel.queue_purge("storage.store"),
            MAKERS | {"storage"},
            "the right to read implies it: a service can empty its own queue",
        ),
        Deed(
            "empty a dead queue",
            lambda channel, _: channel.queue_purge("storage.store.dead"),
            MAKERS | {"monitor"},
        ),
        Deed(
            "delete its own queue",
            lambda channel, user: channel.queue_delete(own_queue(user)),
            MAKERS,
        ),
        Deed(
            "delete another's queue",
            lambda channel, _: channel.queue_delete("storage.withdraw"),
            MAKERS,
        ),
        Deed("delete an exchange", lambda channel, _: channel.exchange_delete("dead"), MAKERS),
    ),
}


async def _ignored(_message: object) -> None:
    """Nothing is looked at here."""
