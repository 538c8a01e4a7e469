"""What only the management API tells: a live broker's bindings, and what nobody planned."""

import asyncio
import base64
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

from shared.topology.declare import Difference
from shared.topology.plan import Binding, Plan

TIMEOUT_S = 10.0


async def binding_differences(
    api_url: str, vhost: str, plan: Plan, ca_file: Path | None = None
) -> list[Difference]:
    """`api_url` holds the credentials: http://user:password@host:port. `ca_file`: whom the
    broker has to be certified by; without it, as the machine says."""
    path = f"/api/bindings/{quote(vhost, safe='')}"
    found = await asyncio.to_thread(asked_api, api_url, path, ca_file)
    # The default exchange binds every queue by itself, and nobody planned that.
    live = {_binding(one) for one in found if one["source"]}
    planned = set(plan.bindings)
    ours = {exchange.name for exchange in plan.exchanges}
    return [
        *(Difference(_text(one), "missing") for one in plan.bindings if one not in live),
        *(
            Difference(_text(one), "unknown")
            for one in sorted(live - planned, key=_text)
            if one.source in ours
        ),
    ]


def asked_api(api_url: str, path: str, ca_file: Path | None = None) -> Any:  # noqa: ANN401 -- JSON is what it is
    parts = urlsplit(api_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the management API's address must be http://user:password@host:port")
    credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    port = f":{parts.port}" if parts.port else ""
    request = Request(  # noqa: S310 -- the scheme was checked above
        f"{parts.scheme}://{parts.hostname}{port}{path}",
        headers={"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"},
    )
    trust = ssl.create_default_context(cafile=ca_file)
    with urlopen(request, timeout=TIMEOUT_S, context=trust) as answer:  # noqa: S310
        return json.load(answer)


def _binding(found: dict[str, Any]) -> Binding:
    return Binding(
        source=found["source"],
        destination=found["destination"],
        routing_key=found["routing_key"],
        to_exchange=found["destination_type"] == "exchange",
    )


def _text(binding: Binding) -> str:
    return f"binding {binding.source} -> {binding.destination} [{binding.routing_key}]"
