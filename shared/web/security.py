"""How one gets in, for those who read the description of an API: only what is true of this one.

A signed-in browser may read with its cookie alone; what changes something needs the word of
its session as well. Tokens are described where a provider is configured.
"""

from typing import Any

from starlette.datastructures import State

from shared.access.provider import DESCRIPTION_PATH, Provider
from shared.web.cookies import CSRF_HEADER, HOST_COOKIE, LOOPBACK_COOKIE, SAFE_METHODS
from shared.web.guard import POLICY

Json = dict[str, Any]

_KEY = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "paperline_<id>_<secret>",
    "description": "An API key: `Authorization: Bearer <key>`.",
}
_SESSION = {
    "type": "apiKey",
    "in": "cookie",
    "name": HOST_COOKIE,
    "description": "A browser that signed in at ingest, `POST /v1/session` or `/v1/sign-in`. "
    f"On the machine itself, over plain HTTP, the cookie is called `{LOOPBACK_COOKIE}`.",
}
_CSRF = {
    "type": "apiKey",
    "in": "header",
    "name": CSRF_HEADER,
    "description": "The word of the session, from `GET /v1/session`; with a cookie only.",
}


def describe_security(document: Json, state: State) -> None:
    schemes: Json = {"key": _KEY}
    if state.provider is not None:
        schemes["token"] = describe_token(state.provider)
    if state.sessions is not None:
        schemes |= {"session": _SESSION, "csrf": _CSRF}
    document.setdefault("components", {})["securitySchemes"] = schemes
    for methods in document["paths"].values():
        for method, operation in methods.items():
            if operation[POLICY]:
                operation["security"] = _ways(method, schemes)


def _ways(method: str, schemes: Json) -> list[Json]:
    """Any one of these; what stands in one belongs together."""
    ways: list[Json] = [{name: []} for name in ("key", "token") if name in schemes]
    if "session" in schemes:
        safe = method.upper() in SAFE_METHODS
        ways.append({"session": []} if safe else {"session": [], "csrf": []})
    return ways


def describe_token(provider: Provider) -> Json:
    description = f"A token of {provider.issuer}: `Authorization: Bearer <token>`."
    if provider.jwks_url is not None:
        # It may have no description of itself that one could point to.
        plain = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
        return {**plain, "description": description}
    address = provider.issuer.rstrip("/") + DESCRIPTION_PATH
    return {
        "type": "openIdConnect",
        "openIdConnectUrl": address,
        "description": description,
    }
