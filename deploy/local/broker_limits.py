"""How much one client, or all of them together, may take of the broker.

Far above what the system needs, so that nobody meets them who is well, and far below what would
take the broker down: a leak of channels, queues or connections ends whoever leaks.
"""

from typing import Any

# Ours have 64 KiB at most. Whoever sends one that is larger loses its channel.
MESSAGE_BYTES_MAX = 1 << 20
# Of one connection. A monitor has one for each of some twenty dead queues.
CHANNELS_MAX = 256
# Of the virtual host: some hundred processes, and programs outside with queues for answers.
CONNECTIONS_MAX = 1000
QUEUES_MAX = 1000
# Of the account of programs outside, so that these never take the places of our own.
PUBLISHER_CONNECTIONS_MAX = 500

# As rabbitmq.conf has them.
OF_A_NODE = {"max_message_size": MESSAGE_BYTES_MAX, "channel_max": CHANNELS_MAX}


def of_a_vhost(vhost: str) -> dict[str, Any]:
    """As the parameter that definitions hold."""
    return {
        "component": "vhost-limits",
        "name": "limits",
        "vhost": vhost,
        "value": {"max-connections": CONNECTIONS_MAX, "max-queues": QUEUES_MAX},
    }


def of_a_user(user: str) -> dict[str, int]:
    return {"max-connections": PUBLISHER_CONNECTIONS_MAX} if user == "publisher" else {}
