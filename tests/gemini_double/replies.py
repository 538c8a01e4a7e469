"""Bodies as the API sends them: answers with their usage, and each of its errors."""

import json
from collections.abc import Mapping
from typing import Any

TOKENS_PER_PAGE = 560
CHARS_PER_TOKEN = 4
TYPE = "type.googleapis.com/google.rpc"
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"


def answer(text: str | None, model: str, *, finish: str = "STOP", pages: int = 1) -> bytes:
    parts = [] if text is None else [{"text": text}]
    candidate: dict[str, Any] = {
        "content": {"role": "model", "parts": parts},
        "finishReason": finish,
        "index": 0,
    }
    return _body([candidate], model, output=len(text or ""), pages=pages)


def without_parts(model: str) -> bytes:
    return _body([{"content": {"role": "model"}, "finishReason": "STOP", "index": 0}], model)


def without_content(model: str, finish: str) -> bytes:
    return _body([{"finishReason": finish, "index": 0}], model)


def without_candidates(model: str) -> bytes:
    return _body([], model)


def blocked(model: str, reason: str = "PROHIBITED_CONTENT") -> bytes:
    return json.dumps(
        {
            "promptFeedback": {"blockReason": reason},
            "usageMetadata": {"promptTokenCount": 900, "totalTokenCount": 900},
            "modelVersion": model,
        }
    ).encode()


def _body(
    candidates: list[dict[str, Any]], model: str, *, output: int = 0, pages: int = 1
) -> bytes:
    prompt = 1200 + TOKENS_PER_PAGE * pages
    said, thought = output // CHARS_PER_TOKEN, 128
    usage = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": said,
        "thoughtsTokenCount": thought,
        "totalTokenCount": prompt + said + thought,
        "promptTokensDetails": [
            {"modality": "DOCUMENT", "tokenCount": TOKENS_PER_PAGE * pages},
            {"modality": "TEXT", "tokenCount": 1200},
        ],
    }
    body: dict[str, Any] = {
        "usageMetadata": usage,
        "modelVersion": model,
        "responseId": "double",
    }
    if candidates:
        body["candidates"] = candidates
    return json.dumps(body).encode()


def error(
    code: int, status: str, message: str, details: list[Mapping[str, Any]] | None = None
) -> bytes:
    told: dict[str, Any] = {"code": code, "message": message, "status": status}
    if details:
        told["details"] = details
    return json.dumps({"error": told}, indent=2).encode()


def exhausted(quota: str | None, retry_delay: str | None) -> bytes:
    details: list[Mapping[str, Any]] = []
    if quota is not None:
        violation = {
            "quotaMetric": "generativelanguage.googleapis.com/generate_requests",
            "quotaId": quota,
            "quotaValue": "15",
        }
        details += [
            {"@type": f"{TYPE}.QuotaFailure", "violations": [violation]},
            {"@type": f"{TYPE}.Help", "links": [{"description": "quotas"}]},
        ]
    if retry_delay is not None:
        details.append({"@type": f"{TYPE}.RetryInfo", "retryDelay": retry_delay})
    message = "You exceeded your current quota, please check your plan and billing details."
    return error(429, "RESOURCE_EXHAUSTED", message, details)


def wrong_key() -> bytes:
    reason = {"@type": f"{TYPE}.ErrorInfo", "reason": "API_KEY_INVALID"}
    message = "API key not valid. Please pass a valid API key."
    return error(400, "INVALID_ARGUMENT", message, [reason])


def no_key() -> bytes:
    message = "Method doesn't allow unregistered callers. Please use API Key."
    return error(403, "PERMISSION_DENIED", message)
