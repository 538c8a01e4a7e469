"""The little of RabbitMQ's management API that the stack itself asks for.

Standard library, and never through a proxy: the node is on loopback.
"""

import http.client
import json
from base64 import b64encode
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from deploy.local import tls
from deploy.local.errors import StackError

TIMEOUT_S = 10.0


def get(api_url: str, path: str) -> Any:  # noqa: ANN401 -- JSON is what it is
    parts = urlsplit(api_url)
    host = parts.hostname or ""
    connection = http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT_S)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(
            host, parts.port, timeout=TIMEOUT_S, context=tls.trust()
        )
    login = f"{unquote(parts.username or 'guest')}:{unquote(parts.password or 'guest')}"
    headers = {"Authorization": f"Basic {b64encode(login.encode()).decode()}"}
    try:
        connection.request("GET", f"/api/{path}", headers=headers)
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise StackError(
            f"No answer from RabbitMQ's management API at {parts.hostname}:{parts.port}: "
            f"{error}; for a broker of your own set AMQP_API_URL"
        ) from error
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise StackError(f"RabbitMQ's management API refused {path}: {response.reason}")
    try:
        return json.loads(body)
    except ValueError as error:
        raise StackError(
            f"{parts.hostname}:{parts.port} does not answer as RabbitMQ"
        ) from error


def inventory(api_url: str, amqp_url: str) -> set[str]:
    """Names of every queue and exchange in the virtual host of that connection."""
    vhost = quote(unquote(urlsplit(amqp_url).path[1:]) or "/", safe="")
    queues = {queue["name"] for queue in get(api_url, f"queues/{vhost}?columns=name")}
    exchanges = {
        f"exchange {exchange['name']}"
        for exchange in get(api_url, f"exchanges/{vhost}?columns=name")
        if exchange["name"] and not exchange["name"].startswith("amq.")
    }
    return queues | exchanges
