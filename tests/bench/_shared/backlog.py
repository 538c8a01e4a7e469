"""Documents that wait in the queue of extraction before anybody takes from it.

They are handed in at an ingest that comes and goes for it, so that whoever is measured after
it never lacks one.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from secrets import token_bytes, token_hex

from deploy.local import ports
from tests.bench._shared.model_calls import Model, model_of
from tests.bench._shared.pages import SAMPLES, pdfs_in
from tests.bench._shared.progress_watch import Waiting, waiting_in
from tests.bench._shared.quiet_stack import UNLIMITED, quiet_stack
from tests.bench._shared.report import say
from tests.bench._shared.uploads import upload_all
from tests.eventually import eventually
from tests.system.replicas import replica_of
from tests.system.stack import Stack

PICTURE = SAMPLES / "de-malerei-sonnhalde.jpg"
HANDED_IN_WITHIN_S = 600.0
LOOK_EVERY_S = 1.0
# Otherwise only so many are released to the broker before the first has been read.
ALL_AT_ONCE = UNLIMITED | {"PAPERLINE_PIPELINE_WINDOW": "100000"}


@dataclass(frozen=True, slots=True)
class Likenesses:
    """Contents that are all different, and what each of them is like."""

    contents: Sequence[bytes]
    originals: Sequence[bytes]


def like_samples(count: int) -> Likenesses:
    originals = list(islice(cycle(one.content for one in pdfs_in(SAMPLES)), count))
    # What follows the end of a PDF is nobody's, and makes another content of it.
    contents = [one + f"\n% {token_hex(8)}\n".encode() for one in originals]
    return Likenesses(contents, originals)


def pictures(count: int) -> list[bytes]:
    """One page each, the same picture with a remark behind its first marker."""
    picture = PICTURE.read_bytes()
    remarks = (b"\xff\xfe" + (2 + 16).to_bytes(2) + token_bytes(16) for _ in range(count))
    return [picture[:2] + remark + picture[2:] for remark in remarks]


@asynccontextmanager
async def before_a_model(
    name: str, count: int, think_s: float
) -> AsyncIterator[tuple[Stack, Model, Waiting]]:
    """So many documents wait on a stack on which no service runs, for a provider that knows
    them all and thinks for so long."""
    some = like_samples(count)
    async with quiet_stack(name) as stack, waiting_in(stack) as waiting:
        await hand_in(stack, waiting, some.contents)
        async with model_of(stack) as model:
            await model.knows(some.contents, some.originals)
            await model.thinks_for(think_s)
            yield stack, model, waiting


async def hand_in(stack: Stack, waiting: Waiting, contents: Sequence[bytes]) -> None:
    """All of them stand in the broker's queue when this ends."""
    say(f"handing in {len(contents)} documents")
    async with replica_of(stack, "ingest", 2, **ALL_AT_ONCE) as ingest:
        port = ports.remembered(stack.state)[f"{ingest.component}_api"]
        await upload_all(port, "/v1/documents", contents, key=stack.key)

        async def all_wait() -> bool:
            return await waiting.count() >= len(contents)

        await eventually(all_wait, within_s=HANDED_IN_WITHIN_S, every_s=LOOK_EVERY_S)
