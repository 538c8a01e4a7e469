"""How long documents are kept after they have ended, by what their clients say they are."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from shared.configuration.models import Name, Section

FOREVER: Literal["forever"] = "forever"
DAYS_MAX = 36_525
Days = Annotated[int, Field(ge=1, le=DAYS_MAX)] | Literal["forever"]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^,]+$")]


class Period(Section):
    days: Days


class RetentionClass(Period):
    # Any of them makes a document one of this class.
    tags: tuple[Tag, ...] = Field(min_length=1)


class Retention(Section):
    default: Period
    classes: dict[Name, RetentionClass] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _are_told_apart(self) -> Self:
        if "default" in self.classes:
            raise ValueError("`default` is no class; name it otherwise")
        known: dict[str, str] = {}
        for name, one in self.classes.items():
            for tag in one.tags:
                if known.setdefault(tag, name) != name:
                    raise ValueError(
                        f"the tag {tag} stands for {known[tag]} and for {name}; choose one"
                    )
        return self
