"""Ids are made from random bits that are fetched beforehand: nobody may get the same ones."""

import os
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from shared.contracts.identity import new_id

RANDOM = (1 << 62) - 1
MANY = 500


def test_an_id_is_a_uuid_of_version_seven_and_is_made_once() -> None:
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda _: new_id(), range(10 * MANY)))

    assert len({one.int & RANDOM for one in made}) == len(made)
    assert {(one.version, one.variant) for one in made} == {(7, "specified in RFC 4122")}


def test_a_child_makes_other_ids_than_its_parent() -> None:
    new_id()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"".join(new_id().bytes for _ in range(MANY)))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        ids = told.read()

    theirs = {UUID(bytes=ids[at : at + 16]).int & RANDOM for at in range(0, len(ids), 16)}
    assert len(theirs) == MANY
    assert not theirs & {new_id().int & RANDOM for _ in range(MANY)}
