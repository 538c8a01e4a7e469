"""Services, servers, provider and messages in trouble at once, and nothing is lost."""

from tests.nemesis.ground import Ground
from tests.nemesis.ordeal import Ordeal
from tests.nemesis.plan import LANES
from tests.nemesis.traffic import Traffic
from tests.system.client import client_of
from tests.system.records import Records


async def test_every_promise_is_kept_once(
    seed: int, length_s: float, ground: Ground, rows: list[str]
) -> None:
    ordeal, struck = Ordeal(seed, length_s, tuple(LANES), is_alone=True), await ground.struck()

    async with client_of(struck.stack) as client:
        traffic = Traffic(client, seed)
        try:
            verdict = await ordeal.run(struck, traffic, Records(struck.stack))
        except BaseException as error:
            error.add_note(str(ordeal))
            await ground.leave_to_look_at(f"seed-{seed}")
            raise
        finally:
            rows.append(f"seed {ordeal.entry.line}; {dict(traffic.done)}")

    assert verdict.holds, verdict.offenders
