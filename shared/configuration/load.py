"""Opens the configuration and says everything that is wrong with it, each in one sentence."""

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shared.configuration.document import ExtractionConfiguration
from shared.configuration.marks import (
    BYTES_MAX,
    ConfigurationError,
    Marked,
    Path,
    read_marked,
)

DEFAULT_FILE = (
    FilePath(__file__).resolve().parents[2]
    / "deploy"
    / "configs"
    / "extraction_module_schema.yaml"
)
# Where results go, how long they stay, who looks at them, and how hard the engines may work has
# no part in what is read. Which engines there are, with which model, is said by themselves.
NOT_READ_BY = frozenset(
    {"engines", "idempotency", "output", "processing", "retention", "review"}
)
PROBLEMS_MAX = 10
SHOWN_CHARS_MAX = 60


@dataclass(frozen=True, slots=True)
class Loaded:
    """The configuration, what it is called by, and where in the file each key stands."""

    configuration: ExtractionConfiguration
    # Of what answers are made by, and part of what they are kept under.
    digest: str
    marked: Marked

    def problem(self, path: Path, sentence: str) -> str:
        """For whoever understands a value better than the schema does: rules, for one."""
        return self.marked.problem(path, sentence)


def load_configuration(file: FilePath = DEFAULT_FILE) -> Loaded:
    try:
        with file.open("rb") as opened:
            content = opened.read(BYTES_MAX + 1)
    except OSError as error:
        raise ConfigurationError(
            f"{file.name}: cannot be opened ({error.strerror}); put it there, or name another "
            "with PAPERLINE_EXTRACTION_CONFIG."
        ) from error
    return loaded_from(content, file.name)


def loaded_from(content: bytes, name: str) -> Loaded:
    marked = read_marked(content, name)
    if not isinstance(marked.value, dict):
        raise ConfigurationError(
            marked.problem((), "is no mapping; write the sections into it.")
        )
    try:
        # Checked as JSON would be: a list of the file becomes a tuple of ours.
        configuration = ExtractionConfiguration.model_validate(marked.value)
    except ValidationError as error:
        raise refusal(_problems(error, marked)) from None
    refuse_twice(
        marked, ("validation", "rules"), (one.id for one in configuration.validation.rules)
    )
    return Loaded(configuration, _digest(marked.value), marked)


def _digest(sections: Mapping[str, object]) -> str:
    """Not of the whole file: who keeps documents longer does not pay for reading them anew."""
    read_by = {name: one for name, one in sections.items() if name not in NOT_READ_BY}
    canonical = json.dumps(read_by, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def refuse_twice(marked: Marked, path: Path, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for place, name in enumerate(names):
        if name in seen:
            raise ConfigurationError(
                marked.problem((*path, place, "id"), f"{name} is taken; give it another id.")
            )
        seen.add(name)


def refusal(problems: Iterable[str]) -> ConfigurationError:
    listed = list(problems)
    more = len(listed) - PROBLEMS_MAX
    tail = [f"And {more} more."] if more > 0 else []
    return ConfigurationError("\n".join(listed[:PROBLEMS_MAX] + tail))


def _problems(error: ValidationError, marked: Marked) -> list[str]:
    found = [
        (marked.line(path), marked.problem(path, sentence))
        for one in error.errors(include_url=False)
        for path, sentence in [(_path(one, marked), _sentence(one, marked))]
    ]
    return [sentence for _, sentence in sorted(found)]


def _path(one: ErrorDetails, marked: Marked) -> Path:
    """Pydantic adds steps of its own, as `[key]` for a wrong key; they are no place."""
    return tuple(step for step in one["loc"] if step != "[key]")


def _sentence(one: ErrorDetails, marked: Marked) -> str:
    match one["type"]:
        case "missing":
            return "is missing; add it."
        case "extra_forbidden":
            return f"is no key that is known here; {_meant(one['loc'])}."
        case "value_error":
            return one["msg"].removeprefix("Value error, ") + "."
    wanted = one["msg"][:1].lower() + one["msg"][1:]
    wanted = wanted.removeprefix("input should be ").removeprefix("string should ")
    value = repr(one["input"])
    if len(value) > SHOWN_CHARS_MAX:
        value = f"{value[:SHOWN_CHARS_MAX]}…"
    return f"is {value}; write a value that should be {wanted}."


def _meant(path: Path) -> str:
    known = _known_keys(path[:-1])
    close = difflib.get_close_matches(str(path[-1]), known, n=1)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"remove it, or write one of {', '.join(sorted(known))}" if known else "remove it"


def _known_keys(path: Path) -> list[str]:
    """The keys of the section at that path, found by walking the models."""
    section: object = ExtractionConfiguration
    for step in path:
        section = _inside(section, step)
    if isinstance(section, type) and issubclass(section, BaseModel):
        return list(section.model_fields)
    return []


def _inside(section: object, step: str | int) -> object:
    if isinstance(section, type) and issubclass(section, BaseModel):
        field = section.model_fields.get(str(step))
        return field.annotation if field else None
    # The members of a tuple, the values of a dict.
    arguments = [one for one in get_args(section) if one is not Ellipsis]
    return arguments[-1] if arguments else None


__all__ = ["DEFAULT_FILE", "ConfigurationError", "Loaded", "load_configuration", "loaded_from"]
