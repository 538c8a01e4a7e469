"""On several nodes a classic queue would be gone with its node, so the topology is refused."""

import asyncio
import sys

from deploy.local import rabbitmq, services
from deploy.local.state import REPOSITORY
from tests.brokers.cluster import MEMBERS, Cluster

EXIT_CONFIG = 78


async def test_nothing_is_declared_and_the_remedy_is_told(cluster: Cluster) -> None:
    before = await cluster.queues()
    own = MEMBERS[0].own(cluster.ports)
    told = {
        "PAPERLINE_BROKER_WORK_QUEUES": "classic",
        "PAPERLINE_TOPOLOGY_AMQP_URL": rabbitmq.amqp_url(
            cluster.state, own["amqp"], user="topology"
        ),
        "PAPERLINE_TOPOLOGY_API_URL": rabbitmq.api_url(
            cluster.state, own["broker_api"], user="topology"
        ),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shared.topology", "apply"),
        env={**services.surroundings(), **told},
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()

    assert process.returncode == EXIT_CONFIG
    assert b"PAPERLINE_BROKER_WORK_QUEUES=quorum" in said
    assert {one["name"] for one in await cluster.queues()} == {one["name"] for one in before}
