"""Where ordeals take place: a stack with a bad network to all it speaks to.

One for all seeds, as long as every promise is kept. A promise that was broken on it would be
found broken by each seed that follows, so behind a failure the next begins on another.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from deploy.local.ports import remembered
from shared.blobs.open import BlobOptions
from tests.conformance.seaweed import BUCKET, WEED, seaweed
from tests.faketime import faketime
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.second import Second
from tests.nemesis.surroundings import quick_rules, surrounded
from tests.nemesis.troubles import Struck
from tests.system.stack import Stack

# So that what waits after a trouble waits seconds, and an ordeal of minutes holds many.
SOONER = {
    "PAPERLINE_LEASE_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "2",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}
# A call that hangs is given up by its own deadline alone, also when the provider is well again:
# as it is shipped, two minutes after the call was made.
IMPATIENT = (
    "gemini: {timeout_seconds: 120,",
    "gemini: {timeout_seconds: 15,",
)
# Of these there is a second process.
TWICE = ("extractor", "monitor")


@dataclass(slots=True)
class Ground:
    root: Path
    # Makes a folder of its own at each call.
    folder: Callable[[str], Path]
    _opened: AsyncExitStack | None = None
    _struck: Struck | None = None

    async def struck(self) -> Struck:
        if self._struck is None:
            self._opened = AsyncExitStack()
            self._struck = await self._opened.enter_async_context(
                ground(self.root, self.folder)
            )
        return self._struck

    async def leave(self) -> None:
        opened, self._opened, self._struck = self._opened, None, None
        if opened is not None:
            await opened.aclose()

    async def leave_to_look_at(self, name: str) -> None:
        """What its processes wrote is kept; the next begins with nothing."""
        await self.leave()
        aside = self.root.with_name(f"{self.root.name}-{name}")
        if self.root.exists() and not aside.exists():
            self.root.rename(aside)


@asynccontextmanager
async def ground(root: Path, folder: Callable[[str], Path]) -> AsyncIterator[Struck]:
    rules = quick_rules(folder("configuration") / "extraction.yaml", IMPATIENT)
    stack, library = Stack.below(root), faketime(folder("faketime"))
    async with AsyncExitStack() as opened:
        provider = await opened.enter_async_context(GeminiDouble())
        ways = {"provider": await _between(opened, provider.url)}
        told = SOONER
        if WEED.exists():
            store = await opened.enter_async_context(seaweed(folder("store")))
            ways["store"] = await _between(opened, str(store.s3_endpoint))
            told = SOONER | _account(store, ways["store"].port)
        provider_url = f"http://127.0.0.1:{ways['provider'].port}"
        surroundings = opened.enter_context(
            surrounded(told, provider_url=provider_url, rules=rules)
        )
        await stack.begin_anew()
        opened.push_async_callback(stack.down)
        # Where its servers listen is known by now: the services are told the way there.
        known = remembered(stack.state)
        for name in ("amqp", "postgres"):
            ways[name] = await _between(opened, f"tcp://127.0.0.1:{known[name]}")
            surroundings.setenv(f"PAPERLINE_STACK_{name.upper()}_PORT", str(ways[name].port))
        await stack.up()
        seconds = {one.component: one for one in (Second(stack, name) for name in TWICE)}
        for second in seconds.values():
            opened.push_async_callback(second.stop)
            await second.start()
        yield Struck(stack, provider, ways, library, seconds)


async def _between(opened: AsyncExitStack, url: str) -> FaultProxy:
    where = urlsplit(url)
    assert where.hostname and where.port
    return await opened.enter_async_context(fault_proxy(where.hostname, where.port))


def _account(store: BlobOptions, port: int) -> dict[str, str]:
    assert store.s3_access_key and store.s3_secret_key
    return {
        "S3_ENDPOINT": f"http://127.0.0.1:{port}",
        "S3_ACCESS_KEY": store.s3_access_key,
        "S3_SECRET_KEY": store.s3_secret_key,
        "S3_BUCKET": BUCKET,
    }
