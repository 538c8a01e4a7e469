"""What each service's key may do in the bucket: the documentation, and it is tried.

A deed is done with each key, on a store that is started as compose starts it and holds an
object in each folder.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deploy.secrets.store_rights import BUCKET, RIGHTS, Rights

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

FOLDERS: Mapping[str, str] = {
    "sha256/": "documents, and what was read of them",
    "words/": "words that were recognised",
    "logs/": "what jobs had to say",
    "data/versions/": "results",
    "data/json/": "results by their day",
    "data/metrics/": "snapshots",
    "pages/": "pictures of pages",
    "reviewed/": "what a person decided",
    "exports/": "exports",
}
# There in each folder.
KEPT = "kept"
PUBLIC = (
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*",'
    f'"Action":"s3:GetObject","Resource":["arn:aws:s3:::{BUCKET}/*"]}}]}}'
)

Act = Callable[["S3Client"], object]


@dataclass(frozen=True, slots=True)
class Deed:
    what: str
    act: Act
    may: frozenset[str]


def _who(begins: Callable[[Rights], tuple[str, ...]], folder: str) -> frozenset[str]:
    return frozenset(
        service
        for service, rights in RIGHTS.items()
        if any(folder.startswith(one) for one in begins(rights))
    )


def _reading(folder: str, holds: str) -> Deed:
    return Deed(
        f"`{folder}`: {holds}",
        lambda s3: s3.get_object(Bucket=BUCKET, Key=f"{folder}{KEPT}"),
        _who(lambda rights: rights.read, folder),
    )


def _writing(folder: str) -> Deed:
    def act(s3: "S3Client") -> object:
        s3.put_object(Bucket=BUCKET, Key=f"{folder}new", Body=b"new")
        return s3.delete_object(Bucket=BUCKET, Key=f"{folder}new")

    return Deed(f"`{folder}`", act, _who(lambda rights: rights.write, folder))


def _deleting(folder: str) -> Deed:
    """Of what is not there: nobody takes away what the next deed needs."""
    return Deed(
        f"`{folder}`",
        lambda s3: s3.delete_object(Bucket=BUCKET, Key=f"{folder}never"),
        _who(lambda rights: rights.write, folder),
    )


def _sending_in_parts(folder: str) -> Deed:
    def act(s3: "S3Client") -> object:
        key = f"{folder}parts"
        begun = s3.create_multipart_upload(Bucket=BUCKET, Key=key)
        return s3.abort_multipart_upload(Bucket=BUCKET, Key=key, UploadId=begun["UploadId"])

    return Deed(f"`{folder}`", act, _who(lambda rights: rights.write, folder))


def _listing(folder: str, name: str = "") -> Deed:
    return Deed(
        name or f"`{folder}`",
        lambda s3: s3.list_objects_v2(Bucket=BUCKET, Prefix=folder),
        _who(lambda rights: rights.list, folder),
    )


NOBODY = frozenset[str]()
TABLE: Mapping[str, tuple[Deed, ...]] = {
    "read what lies in": tuple(_reading(*one) for one in FOLDERS.items()),
    "write into": tuple(_writing(folder) for folder in FOLDERS),
    "take away from": tuple(_deleting(folder) for folder in FOLDERS),
    "send in parts into": tuple(_sending_in_parts(folder) for folder in FOLDERS),
    "list": (*(_listing(folder) for folder in FOLDERS), _listing("", "everything")),
    "the bucket": (
        Deed(
            "look for uploads that were given up",
            lambda s3: s3.list_multipart_uploads(Bucket=BUCKET),
            _who(lambda rights: rights.write, ""),
        ),
        Deed("make another", lambda s3: s3.create_bucket(Bucket="another"), NOBODY),
        Deed(
            "write into another",
            lambda s3: s3.put_object(Bucket="other", Key="sha256/new", Body=b""),
            NOBODY,
        ),
        Deed(
            "let everybody read",
            lambda s3: s3.put_bucket_policy(Bucket=BUCKET, Policy=PUBLIC),
            NOBODY,
        ),
        Deed(
            "let everybody read one object",
            lambda s3: s3.put_object_acl(
                Bucket=BUCKET, Key=f"sha256/{KEPT}", ACL="public-read"
            ),
            NOBODY,
        ),
        Deed("delete it", lambda s3: s3.delete_bucket(Bucket=BUCKET), NOBODY),
    ),
}
