"""What the API sends back, as far as it is looked at.

Read from the raw body and not through the client's response types: those cost four times as
much CPU per call, and raise whatever comes when a proxy answers in the API's place.
"""

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel


class _Sent(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True
    )


class Part(_Sent):
    text: str | None = None
    # The model's thoughts are nothing to be read.
    thought: bool = False


class Content(_Sent):
    parts: list[Part] | None = None


class Candidate(_Sent):
    content: Content | None = None
    finish_reason: str | None = None


class Feedback(_Sent):
    block_reason: str | None = None


class Used(_Sent):
    prompt_token_count: int = Field(0, ge=0)
    cached_content_token_count: int = Field(0, ge=0)
    tool_use_prompt_token_count: int = Field(0, ge=0)
    candidates_token_count: int = Field(0, ge=0)
    thoughts_token_count: int = Field(0, ge=0)


class Reply(_Sent):
    candidates: list[Candidate] | None = None
    prompt_feedback: Feedback | None = None
    usage_metadata: Used = Used()
    model_version: str | None = None

    @property
    def finish_reason(self) -> str | None:
        return self.candidates[0].finish_reason if self.candidates else None

    @property
    def text(self) -> str:
        if not self.candidates or self.candidates[0].content is None:
            return ""
        parts = self.candidates[0].content.parts or []
        return "".join(part.text or "" for part in parts if not part.thought)


def heard(body: str) -> Reply | None:
    """None for what this API never says, such as a proxy's page or half an answer."""
    try:
        return Reply.model_validate_json(body)
    except ValidationError:
        return None
