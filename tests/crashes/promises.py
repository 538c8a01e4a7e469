"""All promises, asked of a stack at rest by the program that judges any system."""

from deploy.local.verifying import sources_of
from deploy.verify.promises import State
from deploy.verify.report import as_text
from deploy.verify.verifying import orders_for, verify
from tests.gemini_double.server import GeminiDouble
from tests.system.stack import Stack


async def require_promises(stack: Stack, provider: GeminiDouble | None, *, deep: bool) -> None:
    written = stack.history.path
    sources = sources_of(
        stack.state,
        history=written if written.exists() else None,
        provider_url=provider.url if provider else None,
    )
    orders = orders_for(at_rest=True, deep=deep, repairs_allowed=0, say=False)
    found = await verify(sources, orders)
    unkept = [one for one in found if one.state in (State.BROKEN, State.UNKNOWN)]
    assert not unkept, f"\n{as_text(unkept)}"
