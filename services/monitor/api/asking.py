"""What every route asks: behind which ports it stands."""

from typing import Annotated

from fastapi import Depends, Request

from services.monitor.ports import Ports


async def _ports(request: Request) -> Ports:
    use: Ports = request.app.state.ports
    return use


Use = Annotated[Ports, Depends(_ports)]
