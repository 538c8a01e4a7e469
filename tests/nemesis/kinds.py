"""What each trouble tells the network and the provider: a table, and nothing that acts."""

from collections.abc import Mapping
from http import HTTPStatus

from tests.fault_proxy import Answer, Cut, Fault, Flip, Forward, Silence
from tests.gemini_double.script import Step

ALWAYS = 1_000_000
BUSY, FAILS = HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INTERNAL_SERVER_ERROR
MODES: Mapping[str, Step] = {
    "provider_fails": Step("error_503"),
    "provider_is_spent": Step("rate_bare"),
    # Nobody may ask again before that.
    "provider_hints": Step("rate_minute", {"retry_delay": "7s"}),
    "provider_hangs": Step("hang"),
    "provider_babbles": Step("garbage"),
    "provider_stops_short": Step("truncated"),
    "provider_objects": Step("safety"),
    "provider_resets": Step("reset"),
    "provider_is_slow": Step("ok", {"delay_s": 4.0}),
    "provider_drips": Step("drip"),
}
NETWORK: Mapping[str, Fault] = {
    "network_slow": Forward(latency_s=0.15),
    "network_silent": Silence(),
    # As the last, but what went meanwhile is gone, and so is every connection it went on.
    "network_loses": Silence(loses=True),
    # What is asked arrives, and no answer comes back.
    "network_one_way": Silence("client"),
    "network_resets": Cut("server", after_bytes=0),
    "bytes_flipped": Flip("client"),
    "store_is_busy": Answer(BUSY, "SlowDown", ALWAYS),
    "store_fails": Answer(FAILS, "InternalError", ALWAYS),
    "store_is_slow": Forward(latency_s=5.0),
}
# Nobody listens there any more.
REFUSES = "network_refuses"
SKEWS: Mapping[str, str] = {"clock_ahead": "+2h", "clock_behind": "-2h"}
