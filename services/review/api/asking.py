"""What every route of the review API starts from."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import StringConstraints

from services.review.ports import Ports
from shared.web.guard import Caller

# Taking from others' hands, and taking what is for others.
LEAD = "review:items:assign"
# The database's texts know no NUL.
NO_NUL = r"^[^\x00]*$"

Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=NO_NUL),
]


async def _ports(request: Request) -> Ports:
    use: Ports = request.app.state.ports
    return use


Use = Annotated[Ports, Depends(_ports)]


def is_lead(caller: Caller) -> bool:
    return LEAD in caller.permissions
