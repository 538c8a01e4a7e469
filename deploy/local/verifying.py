"""`./paperline verify`: does this stack keep what it promises? See `deploy/verify`.

The stack's own secrets are looked for in its logs on the way: nobody has to name them.
"""

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from deploy.local import gemini_double, ports, processes
from deploy.local.credentials import SERVICES, credentials
from deploy.local.endpoints import Endpoints, endpoints
from deploy.local.errors import StackError
from deploy.local.report import complain
from deploy.local.state import State
from deploy.verify.broker import Broker
from deploy.verify.database import snapshot_of
from deploy.verify.heads import kept_heads
from deploy.verify.history import History
from deploy.verify.looking import Sources
from deploy.verify.machine import Machine
from deploy.verify.objects import S3Account, objects_at
from deploy.verify.promises import CannotJudge
from deploy.verify.report import COULD_NOT_JUDGE
from deploy.verify.verifying import run


def verify(state: State, given: argparse.Namespace) -> int:
    double = given.gemini_double or _double(state)
    try:
        kept = kept_heads(given.audit_head)
        sources = sources_of(state, history=given.history, provider_url=double)
        sources = replace(sources, audit_heads=kept)
    except (CannotJudge, StackError) as error:
        complain(f"cannot judge: {error}")
        return COULD_NOT_JUDGE
    return run(sources, given)


def sources_of(
    state: State, *, history: Path | None = None, provider_url: str | None = None
) -> Sources:
    reach = endpoints(state)
    return Sources(
        partial(snapshot_of, reach.database_reader),
        broker=Broker(reach.amqp["topology"], reach.broker_api["topology"]),
        objects=objects_at(reach.blobs["PAPERLINE_BLOBS_URL"], _account(reach)),
        history=History(history) if history else None,
        provider_url=provider_url,
        machine=_machine(state),
    )


def _account(reach: Endpoints) -> S3Account:
    told = reach.blobs
    return S3Account(
        endpoint=told.get("PAPERLINE_S3_ENDPOINT"),
        access_key=told.get("PAPERLINE_S3_ACCESS_KEY"),
        secret_key=told.get("PAPERLINE_S3_SECRET_KEY"),
        region=told.get("PAPERLINE_S3_REGION", "us-east-1"),
    )


def _machine(state: State) -> Machine:
    known = ports.remembered(state)
    running = {name: processes.running(state, name) for name in SERVICES}
    key = state.root / "key"
    keys = [key.read_text().strip()] if key.exists() else []
    return Machine(
        pids={name: one.pid for name, one in running.items() if one is not None},
        ops_ports={name: known[f"{name}_ops"] for name in SERVICES if f"{name}_ops" in known},
        logs=state.logs if state.logs.is_dir() else None,
        secrets=(*credentials(state).values(), *_passwords(endpoints(state)), *keys),
    )


def _passwords(reach: Endpoints) -> list[str]:
    urls = [reach.database_owner, *reach.database.values(), *reach.amqp.values()]
    return sorted({unquote(urlsplit(one).password or "") for one in urls} - {""})


def _double(state: State) -> str | None:
    if processes.running(state, gemini_double.COMPONENT) is None:
        return None
    return f"http://127.0.0.1:{ports.remembered(state)[gemini_double.COMPONENT]}"
