"""Half a minute of everything: services, broker, database and messages in trouble together.

Minutes of it, with a provider and by other seeds: `./paperline test nemesis --seeds 1-20`.
"""

from deploy.verify.looking import Orders
from deploy.verify.verifying import verify
from tests.nemesis.ordeal import Ordeal
from tests.nemesis.traffic import Traffic
from tests.nemesis.troubles import Struck
from tests.system.client import Client
from tests.system.records import Records
from tests.system.stack import Stack
from tests.system.verdict import broken, news, require_rest, sources

SEED, LENGTH_S = 7, 30.0
# What a repair is still to bring in order is not broken.
LOOKS = Orders(at_rest=True, pauses=(1.0, 4.0, 5.0))
LANES = ("services", "broker", "database", "messages")


async def test_every_promise_is_kept_once(
    client: Client, stack: Stack, records: Records
) -> None:
    ordeal, before = Ordeal(SEED, LENGTH_S, LANES), set(client.promised)
    await require_rest(stack)
    # By others, on purpose: who breaks what is told when all of them are over.
    broken_before = broken(await verify(sources(stack), LOOKS))
    client.promised.clear()

    try:
        verdict = await ordeal.run(Struck(stack), Traffic(client, SEED), records)
    except BaseException as error:
        error.add_note(str(ordeal))
        raise
    finally:
        client.promised |= before

    assert verdict.holds, verdict.offenders
    assert verdict.documents and ordeal.troubles >= len(LANES)
    assert news(broken(await verify(sources(stack), LOOKS)), broken_before) == {}
    await records.require_balance(client.promised)
