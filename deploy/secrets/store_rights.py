"""What each service may do in the bucket: it reads, writes and lists folder by folder.

A service that is taken over reads no invoices that are not its work, and overwrites nobody's.
Nobody makes or deletes a bucket, or opens it to others: the store makes it when it starts.
`storage` has all of it, because where its dated files lie is an operator's choice. Whoever asks
for sizes lists everything, to tell a missing object from a missing bucket.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BUCKET = "paperline"
EVERYTHING = ""
SCANS_AND_READINGS, WORDS, LOGS = "sha256/", "words/", "logs/"
RESULTS, SNAPSHOTS = "data/versions/", "data/metrics/"
PICTURES, REVIEWED = "pages/", "reviewed/"


@dataclass(frozen=True, slots=True)
class Rights:
    """By how the keys begin. To write is to delete, too."""

    read: tuple[str, ...]
    write: tuple[str, ...]
    list: tuple[str, ...]


RIGHTS: Mapping[str, Rights] = {
    "ingest": Rights(
        read=(SCANS_AND_READINGS, LOGS, RESULTS),
        write=(SCANS_AND_READINGS, LOGS),
        list=(EVERYTHING,),
    ),
    "extractor": Rights(
        # A result that a person decided on teaches it.
        read=(SCANS_AND_READINGS, WORDS, RESULTS),
        write=(SCANS_AND_READINGS, WORDS, LOGS),
        list=(WORDS,),
    ),
    "storage": Rights((EVERYTHING,), (EVERYTHING,), (EVERYTHING,)),
    "review": Rights(
        read=(SCANS_AND_READINGS, WORDS, PICTURES, REVIEWED),
        write=(PICTURES, REVIEWED),
        list=(PICTURES, REVIEWED),
    ),
    "monitor": Rights(read=(LOGS,), write=(SNAPSHOTS,), list=(SNAPSHOTS,)),
}


def actions(rights: Rights) -> list[str]:
    """As SeaweedFS has them."""
    return [
        *(_allowed("Read", begins) for begins in rights.read),
        *(_allowed("Write", begins) for begins in rights.write),
        *(_allowed("List", begins) for begins in rights.list),
    ]


def identities(keys: Mapping[str, tuple[str, str]]) -> Sequence[Mapping[str, object]]:
    """Of each service, by its key and secret."""
    return [
        {
            "name": service,
            "credentials": [{"accessKey": key, "secretKey": secret}],
            "actions": actions(RIGHTS[service]),
        }
        for service, (key, secret) in keys.items()
    ]


def _allowed(action: str, begins: str) -> str:
    return f"{action}:{BUCKET}/{begins}*" if begins else f"{action}:{BUCKET}"
