"""`python -m shared.topology print | asyncapi | picture | apply | verify | migrate`.

Show the plan, describe and draw it, declare it, compare it with a live broker, or make changed
queues anew.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urlsplit

from aio_pika.exceptions import AMQPError
from pydantic import ValidationError

from shared.topology.asyncapi import document
from shared.topology.declare import Difference, apply, differences
from shared.topology.inspect import binding_differences
from shared.topology.migrate import InUse, migrate
from shared.topology.picture import picture
from shared.topology.plan import Plan, plan, render
from shared.topology.settings import TopologySettings
from shared.topology.standing import broker_at, refusal, urgency

EXIT_DIFFERS = 1
EXIT_TRY_AGAIN = 75
EXIT_CONFIG = 78


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m shared.topology")
    parser.add_argument("command", choices=(*SHOWING, *COMMANDS))
    parser.add_argument("--work-queues", choices=("classic", "quorum"), default="classic")
    arguments = parser.parse_args()
    if arguments.command in SHOWING:
        print(SHOWING[arguments.command](plan(work_kind=arguments.work_queues)), end="")
        return 0
    try:
        settings = TopologySettings()
    except ValidationError as error:
        for problem in error.errors(include_input=False):
            name = "PAPERLINE_" + ".".join(map(str, problem["loc"])).upper()
            print(f"{name}: {problem['msg']}", file=sys.stderr)
        return EXIT_CONFIG
    if sentences := settings.unsafe():
        print("\n".join(sentences), file=sys.stderr)
        return EXIT_CONFIG
    the_plan = plan(work_kind=settings.broker_work_queues)
    try:
        return asyncio.run(COMMANDS[arguments.command](settings, the_plan))
    except (AMQPError, OSError) as error:
        print(f"The broker does not answer: {error!r}", file=sys.stderr)
        return EXIT_TRY_AGAIN


async def _apply(settings: TopologySettings, the_plan: Plan) -> int:
    if not await _suits(settings):
        return EXIT_CONFIG
    applied = await apply(settings.amqp_address, the_plan)
    for name in applied.created:
        print(f"created {name}")
    _complain(applied.altered)
    print(
        f"{len(the_plan.exchanges)} exchanges, {len(the_plan.queues)} queues and "
        f"{len(the_plan.bindings)} bindings in place"
    )
    return EXIT_DIFFERS if applied.altered else 0


async def _verify(settings: TopologySettings, the_plan: Plan) -> int:
    url = settings.amqp_address
    found = await differences(url, the_plan)
    if settings.topology_api_url is None:
        print("bindings not compared: PAPERLINE_TOPOLOGY_API_URL is not set", file=sys.stderr)
    else:
        api_url = settings.topology_api_url.get_secret_value()
        found += await binding_differences(api_url, _vhost(url), the_plan, settings.ca_file)
    _complain(tuple(found))
    if not found:
        print("the broker holds exactly the plan")
    # Last, because whoever shows one line of what was said shows the last.
    return 0 if await _suits(settings) and not found else EXIT_DIFFERS


async def _suits(settings: TopologySettings) -> bool:
    """Says what the broker means for the plan, as far as somebody can be asked."""
    if settings.topology_api_url is None:
        return True
    try:
        api_url = settings.topology_api_url.get_secret_value()
        broker = await broker_at(api_url, settings.ca_file)
    except OSError as error:
        # Queues are declared over AMQP; that must not wait for a plugin.
        print(f"the broker's nodes and version are not known: {error}", file=sys.stderr)
        return True
    refused = refusal(broker, settings.broker_work_queues)
    if refused:
        print(refused, file=sys.stderr)
    else:
        print(urgency(broker, settings.broker_work_queues))
    return not refused


async def _migrate(settings: TopologySettings, the_plan: Plan) -> int:
    try:
        moved = await migrate(settings.amqp_address, the_plan)
    except InUse as busy:
        print(f"{busy}; then run this again", file=sys.stderr)
        return EXIT_DIFFERS
    for one in moved:
        print(f"made queue {one.queue} anew; it holds the {one.messages} messages it held")
    if not moved:
        print("no queue differs from the plan")
    return 0


def _vhost(url: str) -> str:
    return unquote(urlsplit(url).path.removeprefix("/")) or "/"


def _complain(found: tuple[Difference, ...]) -> None:
    for difference in found:
        print(difference, file=sys.stderr)
    if any(difference.problem == "altered" for difference in found):
        print(
            "What was altered keeps its arguments until `migrate` makes it anew.",
            file=sys.stderr,
        )


SHOWING: Mapping[str, Callable[[Plan], str]] = {
    "print": render,
    "asyncapi": lambda the_plan: json.dumps(document(the_plan), indent=2) + "\n",
    "picture": lambda _: picture(),
}
COMMANDS = {"apply": _apply, "verify": _verify, "migrate": _migrate}

if __name__ == "__main__":
    raise SystemExit(main())
