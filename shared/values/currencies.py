"""How currencies are written beside amounts: by their code, or by a sign.

One list for amounts in a text and for numbers in a cell, so that neither misses what the other
knows.
"""

import re

CODES = (
    "AED|AUD|BGN|BRL|CAD|CHF|CNY|CZK|DEM|DKK|EUR|GBP|HKD|HRK|HUF|IDR|ILS|INR|ISK|JPY|KRW|MXN|"
    "MYR|"
    "NOK|NZD|PHP|PLN|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
# A sign of several countries says less than a code: who has the page asks for the country.
SYMBOLS = {
    **{"€": "EUR", "£": "GBP", "₹": "INR", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "₺": "TRY"},
    **{"US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD"},
    **{"S$": "SGD", "HK$": "HKD", "R$": "BRL", "RM": "MYR", "Rs.": "INR", "Rs": "INR"},
    **{"Fr.": "CHF", "SFr.": "CHF", "kr.": "SEK", "kr": "SEK", "¥": "JPY", "$": "USD"},
    **{"Euros": "EUR", "Euro": "EUR", "euros": "EUR", "euro": "EUR"},
}
SHARED = frozenset(("$", "kr", "kr.", "¥"))
# In the cell of a quantity these are feet.
NOT_IN_A_CELL = frozenset(("Ft",))


def signs(but: frozenset[str] = frozenset()) -> str:
    """Of a pattern: the longest first, or `US$` would be read as `$`."""
    known = sorted(SYMBOLS.keys() - but, key=lambda one: (-len(one), one))
    return "|".join(map(re.escape, known))
