"""The file gives the default and the environment wins, for each value that stands in both."""

from typing import TypeVar

from pydantic import BaseModel

T = TypeVar("T")


def environment_first(settings: BaseModel, name: str, otherwise: T) -> T:
    """What the environment says, if anything; a default in the code is no word of it."""
    if name not in settings.model_fields_set:
        return otherwise
    told: T = getattr(settings, name)
    return told
