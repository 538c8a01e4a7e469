"""Keys of people and programs, issued as the command line does it, without its process."""

from deploy.local.endpoints import endpoints
from shared.access.access import Access
from shared.database.pool import DatabaseSettings, open_pool
from tests.system.stack import Stack


async def issued_key(stack: Stack, owner: str, role: str) -> str:
    reach = endpoints(stack.state).database["ingest"]
    settings = DatabaseSettings(reach, pool_min=1, pool_max=1)
    pool = await open_pool(settings, schema="access", application="test")
    try:
        key = await Access(pool).issue(owner_id=owner, name=owner, roles=(role,))
    finally:
        await pool.close()
    stack.history.canaries([key])
    return key
