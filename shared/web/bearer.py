"""What may stand behind `Authorization: Bearer`: a key of ours, or a token of the provider.

Apart from what verifies tokens: its libraries take 10 MB, and where no identity provider is
configured nobody ever needs them.
"""

from typing import Protocol

from shared.access.keys import Caller


class Keys(Protocol):
    async def authenticate(self, key: str, /) -> Caller | None: ...


class Unbelieved(Exception):
    """Of a token. The reason is for whoever runs this, and not for whoever shows it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class KeysAndTokens:
    """Without a provider, keys alone."""

    def __init__(self, keys: Keys, tokens: Keys | None) -> None:
        self._keys = keys
        self._tokens = tokens

    async def authenticate(self, shown: str) -> Caller | None:
        if self._tokens is not None and looks_like_a_token(shown):
            return await self._tokens.authenticate(shown)
        return await self._keys.authenticate(shown)


def looks_like_a_token(text: str) -> bool:
    """No API key has a dot in it."""
    return text.count(".") == 2  # noqa: PLR2004 -- header, claims, signature
