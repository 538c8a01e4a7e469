"""Half a minute of everything: services, broker, database and messages in trouble together.

Minutes of it, with a provider and by other seeds: `./paperline test nemesis --seeds 1-20`.
"""

from tests.nemesis.ordeal import Ordeal
from tests.nemesis.traffic import Traffic
from tests.nemesis.troubles import Struck
from tests.system.client import Client
from tests.system.records import Records
from tests.system.stack import Stack

SEED, LENGTH_S = 7, 30.0
LANES = ("services", "broker", "database", "messages")


async def test_every_promise_is_kept_once(
    client: Client, stack: Stack, records: Records
) -> None:
    ordeal, before = Ordeal(SEED, LENGTH_S, LANES), set(client.promised)
    client.promised.clear()

    try:
        verdict = await ordeal.run(Struck(stack), Traffic(client, SEED), records)
    except BaseException as error:
        error.add_note(str(ordeal))
        raise
    finally:
        client.promised |= before

    assert verdict.holds, f"{verdict}\n{verdict.lost}\n{verdict.doubled}\n{ordeal}"
    assert verdict.documents and ordeal.troubles >= len(LANES)
    await records.require_balance(client.promised)
