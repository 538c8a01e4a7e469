"""Listening addresses as the kernel tells them."""

import os
import socket

import pytest

from deploy.local import sockets


def test_a_listening_socket_of_a_process_is_found() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]

        assert f"127.0.0.1:{port}" in sockets.listening([os.getpid()])


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("0100007F:1F90", "127.0.0.1:8080"),
        ("00000000:0050", "0.0.0.0:80"),
        ("00000000000000000000000001000000:1F90", "[::1]:8080"),
    ],
    ids=["loopback", "everywhere", "loopback of IPv6"],
)
def test_the_kernels_notation_is_understood(entry: str, address: str) -> None:
    assert sockets.decode(entry) == address


@pytest.mark.parametrize(
    ("address", "closed"),
    [
        ("127.0.0.1:80", True),
        ("127.0.1.1:80", True),
        ("[::1]:80", True),
        ("[::ffff:127.0.0.1]:80", True),
        ("0.0.0.0:80", False),
        ("[::]:80", False),
        ("192.168.1.5:80", False),
    ],
)
def test_only_loopback_counts_as_closed(address: str, closed: bool) -> None:
    assert sockets.is_loopback(address) is closed
