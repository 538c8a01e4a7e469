"""What each user of the broker may do: the table is the documentation, and it is tried.

A deed is done by each user on a channel of its own, on a broker that holds the whole plan.
`{own}` is the first queue of the service; users that are no service try that of ingest.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiormq.abc import AbstractChannel

from deploy.local.credentials import SERVICES
from deploy.local.sayers import SAYERS
from shared.topology.queues import WORK_QUEUES

MAKERS = frozenset({"admin", "topology"})
EVERY_SERVICE = frozenset(SERVICES) | MAKERS

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
        Deed(
            "a submission to `ingest`",
            publish("ingest", "document.submit"),
            MAKERS | {"publisher"},
            "the door of programs outside",
        ),
        Deed(
            "an order to `jobs`",
            publish("jobs", "extractor.extract"),
            EVERY_SERVICE,
            "each sends orders there, and monitor replays; `jobs` is a direct exchange, and "
            "RabbitMQ judges routing keys on topic exchanges only",
        ),
        *(
            Deed(f"`{fact}`", publish("events", fact), MAKERS | set(sayers))
            for fact, sayers in SAYERS.items()
        ),
        Deed("a fact that nobody says", publish("events", "document.invented"), MAKERS),
        Deed("what only begins like one", publish("events", "document.stored.late"), MAKERS),
        Deed("what only ends like one", publish("events", "late.document.stored"), MAKERS),
        Deed("a dead letter to `dead`", publish("dead", "storage.store"), EVERY_SERVICE),
        Deed(
            "what waits, to a rung",
            publish("delay.00", "0." * 15 + "1.extractor.extract"),
            EVERY_SERVICE,
        ),
        Deed("past the rungs", publish("delay.home", "0." * 16 + "extractor.extract"), MAKERS),
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
