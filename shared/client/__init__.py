"""The HTTP API as Python functions, for whoever hands documents in from outside.

It knows nothing of the rest of the house but what stands on the wire, and nothing of the house
imports it: what works here works from any machine.
"""

from shared.client.answers import (
    Accepted,
    Batch,
    Document,
    Field,
    Member,
    Page,
    Refusal,
    Result,
    Status,
)
from shared.client.client import Client
from shared.client.errors import Away, ClientError, Refused
from shared.client.sending import Wishes

__all__ = [
    "Accepted",
    "Away",
    "Batch",
    "Client",
    "ClientError",
    "Document",
    "Field",
    "Member",
    "Page",
    "Refusal",
    "Refused",
    "Result",
    "Status",
    "Wishes",
]
