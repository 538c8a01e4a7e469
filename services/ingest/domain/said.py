"""What a client may say about a document for itself: tags, metadata, a due date.

It is kept, echoed and searched by, and never read as anything else. Each limit is checked
here, in words for the client: a ValueError's text is shown.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.strict_json import RepeatedKey, read_json

TAGS_MAX = 20
TAG_CHARS_MAX = 64
METADATA_BYTES_MAX = 4096
# What lies deeper can be kept, but not everything that shows it goes down so far.
METADATA_DEPTH_MAX = 32
NO_METADATA = "{}"
MOMENT_WANTED = "a moment with a zone, such as 2026-03-01T12:00:00Z"
# Beyond is a slip of the finger, and who counts on from the calendar's last day leaves it.
DUE_YEARS = range(2000, 3000)

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Said:
    """`metadata` is a JSON object as text, so that equal ones are equal."""

    tags: tuple[str, ...] = ()
    metadata: str = NO_METADATA
    due_at: datetime | None = None

    def fingerprint(self) -> str:
        """Empty when nothing was said, and equal for equal words."""
        if self == NOTHING:
            return ""
        due_at = self.due_at.isoformat() if self.due_at else None
        return json.dumps([sorted(self.tags), self.metadata, due_at])


NOTHING = Said()


def clean_tags(texts: Sequence[str]) -> tuple[str, ...]:
    """Each text may hold several, separated by commas. In the order given, each once."""
    shown = (_tag(one) for text in texts for one in text.split(","))
    tags = tuple(dict.fromkeys(one for one in shown if one))
    if len(tags) > TAGS_MAX:
        raise ValueError(f"at most {TAGS_MAX} tags")
    return tags


def clean_metadata(text: str) -> str:
    if not text:
        return NO_METADATA
    try:
        # An object and nothing else; made anew, so that equal ones are written equally.
        canonical = json.dumps(
            dict(read_json(text).items()),
            allow_nan=False,
            ensure_ascii=False,
            separators=(",", ":"),
            sort_keys=True,
        )
        size = len(canonical.encode())
    except RepeatedKey as error:
        raise ValueError("a JSON object in which each key stands once") from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise ValueError("a JSON object") from error
    if size > METADATA_BYTES_MAX:
        raise ValueError(f"at most {METADATA_BYTES_MAX} bytes")
    if "\\u0000" in canonical:
        # No database keeps it.
        raise ValueError("no zero characters")
    if _depth(canonical) > METADATA_DEPTH_MAX:
        raise ValueError(f"objects and lists at most {METADATA_DEPTH_MAX} deep")
    return canonical


def _depth(canonical: str) -> int:
    """Of what is short already, so that it may be gone through letter by letter."""
    deepest = depth = 0
    for one in _TEXT.sub("", canonical):
        depth += (one in "[{") - (one in "]}")
        deepest = max(deepest, depth)
    return deepest


def clean_moment(text: str) -> datetime | None:
    if not text:
        return None
    moment = _moment(text)
    if moment is None or moment.tzinfo is None:
        raise ValueError(MOMENT_WANTED)
    return moment


def clean_due_at(text: str) -> datetime | None:
    return within_due_years(clean_moment(text))


def within_due_years(moment: datetime | None) -> datetime | None:
    if moment is not None and moment.year not in DUE_YEARS:
        raise ValueError(f"a due date in the years {DUE_YEARS[0]} to {DUE_YEARS[-1]}")
    return moment


def _moment(text: str) -> datetime | None:
    try:
        # In a query the plus sign of a zone arrives as a space.
        moment = datetime.fromisoformat(re.sub(r" (\d\d:?\d\d)$", r"+\1", text.strip()))
        return moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None


def _tag(text: str) -> str:
    tag = unicodedata.normalize("NFC", text).strip()
    if len(tag) > TAG_CHARS_MAX:
        raise ValueError(f"a tag has at most {TAG_CHARS_MAX} characters")
    if any(unicodedata.category(one)[0] == "C" for one in tag):
        raise ValueError("a tag has no control characters")
    return tag
