"""Which addresses may be told, and which must never be reached because a client named them."""

import ipaddress

import pytest

from services.ingest.adapters.courier import SystemResolver
from services.ingest.domain.addresses import Policy, Refused, networks_of
from shared.errors import Retryable

STRICT = Policy(plain_http=True)

FORBIDDEN = [
    "0.0.0.0",  # noqa: S104 -- an address to be refused
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.8.8.8",
    "169.254.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.8",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "224.0.1.129",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%2",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "198.20.0.1",
    "223.255.255.254",
    "2606:4700::6810:1",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]

REFUSED_URLS = [
    "",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com:70/_x",
    "//example.com/",
    "example.com",
    "https://",
    "https:///path",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://example.com@127.0.0.1/",
    "https://example.com#@127.0.0.1/",
    "https://example.com/#fragment",
    "https://example.com\\@127.0.0.1/",
    "https://127.0.0.1\\.example.com/",
    "https://exa mple.com/",
    "https://example.com/a b",
    " https://example.com/",
    "https://example.com/\r\nX-Injected: 1",
    "https://example.com/\x00",
    "https://example.com\t/",
    "https://exämple.com/",
    "https://①②⑦.⓪.⓪.①/",
    "http\u017f://example.com/",
    "https://\u017f.example.com/",
    "https://\u212a.example.com/",
    "https://example.com/\u0131",
    "https://example。com/",
    "https://example.com:0/",
    "https://example.com:22/",
    "https://example.com:25/",
    "https://example.com:1023/",
    "https://example.com:65536/",
    "https://example.com:99999999/",
    "https://example.com:abc/",
    "https://127.1/",
    "https://0177.0.0.1/",
    "https://0x7f.0.0.1/",
    "https://0x7f000001/",
    "https://2130706433/",
    "https://1.1.1.256/",
    "https://1.2.3.4.5/",
    "https://.example.com/",
    "https://exa..mple.com/",
    "https://-example.com/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    "https://[v1.x]/",
    f"https://{'a' * 64}.example.com/",
    f"https://{'a.' * 127}example.com/",
    f"https://example.com/{'a' * 2000}",
    "https://example.com?x=1",
    'https://example.com/"<x>',
]
ACCEPTED_URLS = {
    "https://example.com": ("https", "example.com", 443, "/"),
    "https://Example.COM/Hook?a=1&b=[x]%20": (
        "https",
        "example.com",
        443,
        "/Hook?a=1&b=[x]%20",
    ),
    "http://example.com:80/": ("http", "example.com", 80, "/"),
    "https://example.com.:8443/x": ("https", "example.com", 8443, "/x"),
    "https://my_host.example.com:1024/": ("https", "my_host.example.com", 1024, "/"),
    "https://xn--exmple-cua.com/": ("https", "xn--exmple-cua.com", 443, "/"),
    "https://1.1.1.1:65535/": ("https", "1.1.1.1", 65535, "/"),
    "https://[2606:4700:0::1]/": ("https", "2606:4700::1", 443, "/"),
    "https://[::FFFF:8.8.8.8]/": ("https", "::ffff:808:808", 443, "/"),
}


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="not public") as refused:
        STRICT.choose([address])

    assert address not in str(refused.value)


@pytest.mark.parametrize("address", [one for one in FORBIDDEN if "%" not in one])
def test_it_is_refused_when_the_url_names_it_too(address: str) -> None:
    host = f"[{address}]" if ":" in address else address

    with pytest.raises(Refused, match="not public"):
        STRICT.target(f"http://{host}/")


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_told(address: str) -> None:
    assert STRICT.choose([address]) == str(ipaddress.ip_address(address))


@pytest.mark.parametrize("found", [["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], []])
def test_one_bad_address_of_a_name_makes_all_of_them_suspect(found: list[str]) -> None:
    with pytest.raises(Refused):
        STRICT.choose(found)


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(Refused):
        STRICT.target(url)


@pytest.mark.parametrize(("url", "parts"), ACCEPTED_URLS.items())
def test_a_plain_url_is_taken_apart(url: str, parts: tuple[str, str, int, str]) -> None:
    target = STRICT.target(url)

    assert (target.scheme, target.host, target.port, target.path) == parts


def test_http_is_only_for_where_it_is_allowed() -> None:
    with pytest.raises(Refused, match="https"):
        Policy().target("http://example.com/")
    assert Policy().target("https://example.com/").authority == "example.com"


def test_an_allowed_network_may_be_told_and_no_other() -> None:
    policy = Policy(allowed=networks_of("10.1.0.0/16, ::1/128"))

    for address in ("10.1.2.3", "::ffff:10.1.2.3", "::1"):
        assert policy.choose([address])
    for address in ("10.2.0.1", "127.0.0.1", "::2"):
        with pytest.raises(Refused):
            policy.choose([address])


@pytest.mark.parametrize("text", ["10.0.0.0/33", "ten", "10.0.0.1/8"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        networks_of(text)


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://example.com:443/", "example.com"),
        ("http://example.com:8080/", "example.com:8080"),
        ("https://[2606:4700::1]:8443/", "[2606:4700::1]:8443"),
    ],
)
def test_the_host_header_names_what_the_url_named(url: str, authority: str) -> None:
    assert STRICT.target(url).authority == authority


async def test_the_machines_own_name_stands_for_an_address_that_is_refused() -> None:
    found = await SystemResolver()("localhost", 80)

    assert found
    with pytest.raises(Refused):
        STRICT.choose(found)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64])
async def test_a_name_that_stands_for_nothing_may_stand_for_something_later(host: str) -> None:
    with pytest.raises(Retryable):
        await SystemResolver()(host, 80)
