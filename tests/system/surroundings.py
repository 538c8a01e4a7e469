"""Variables in which the tests tell the services of their stack something, and nobody else.

Whoever follows a guide has no tests running. What they start would take the servers of this run
for its own, wait to be told where to die, and refuse to be what a production is.
"""

from deploy.local.quality import FOLDER_GIVEN, GIVEN
from tests.crashes.arming import VARIABLE

COLLECTOR = "PAPERLINE_OTLP_ENDPOINT"
# What is waited for after a death and for nothing else is waited for a shorter time than by a
# user, and spans leave a service twice a second.
SOONER = {
    "OTEL_BSP_SCHEDULE_DELAY": "500",
    "PAPERLINE_LEASE_S": "5",
    "PAPERLINE_REPAIR_EVERY_S": "1",
    "PAPERLINE_REPAIR_OLDER_THAN_S": "5",
}
# By these, modules would be found elsewhere than where a reader stands.
OF_PYTHON = ("PYTHONSAFEPATH", "PYTHONPATH")
TOLD_BY_TESTS = (
    *OF_PYTHON,
    *("PAPERLINE_STATE", FOLDER_GIVEN, GIVEN),
    *("PAPERLINE_TEST_AMQP_URL", "PAPERLINE_TEST_AMQP_API_URL"),
    *(VARIABLE, COLLECTOR, *SOONER),
)
