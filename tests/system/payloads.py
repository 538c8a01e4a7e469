"""Texts that try to become a program: through a name, a vendor, a line of an invoice.

Each calls `alert` in another way, or would load something: in a page that shows text as text
nothing of it happens.
"""

from xml.sax.saxutils import escape

from tests.system.invoices import SAMPLES

XRECHNUNG = SAMPLES / "de-lotwerk-vermessung.xml"

PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<svg onload=alert(3)>",
    "<svg><script>alert(4)</script></svg>",
    '"><img src=x onerror=alert(5)>',
    "'><img src=x onerror=alert(6)>",
    "</title><script>alert(7)</script>",
    "</textarea><script>alert(8)</script>",
    "</style><script>alert(9)</script>",
    "--><script>alert(10)</script>",
    "]]><script>alert(11)</script>",
    "<iframe src=javascript:alert(12)>",
    "<iframe srcdoc='<script>alert(13)</script>'>",
    "<body onload=alert(14)>",
    "<details open ontoggle=alert(15)>",
    "<input autofocus onfocus=alert(16)>",
    "<select autofocus onfocus=alert(17)>",
    "<video><source onerror=alert(18)>",
    "<audio src=x onerror=alert(19)>",
    "<object data=javascript:alert(20)>",
    "<embed src=javascript:alert(21)>",
    "<a href=javascript:alert(22)>pay here</a>",
    "<form action=javascript:alert(23)><input type=submit>",
    "<math><mtext><img src=x onerror=alert(24)></math>",
    "<marquee onstart=alert(25)>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(26)'>",
    "<base href='javascript:alert(27)//'>",
    "<link rel=stylesheet href=//evil.example/28.css>",
    "<style>@import '//evil.example/29.css'</style>",
    "<img src=//evil.example/30.png>",
    "<template><script>alert(31)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(32)>'>",
    "{{constructor.constructor('alert(33)')()}}",
    "${alert(34)}",
    "#{alert(35)}",
    "javascript:alert(36)",
    "data:text/html,<script>alert(37)</script>",
    "\\u003cscript\\u003ealert(38)\\u003c/script\\u003e",
    "&lt;script&gt;alert(39)&lt;/script&gt;",
    "\uff1cscript\uff1ealert(40)\uff1c/script\uff1e<scr\u200bipt>alert(40)</scr\u200bipt>",
)

# What a spreadsheet would calculate, a database execute, and a log or terminal take for a line
# of its own.
FORMULAS = (
    '=HYPERLINK("http://evil.example/1","pay here")',
    "=cmd|' /C calc'!A0",
    "+2+5+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\uff1d1+1",
)
STATEMENTS = (
    "'; DROP TABLE ingest.documents; --",
    "' OR '1'='1",
    "$1); DELETE FROM storage.stored_results; --",
    "%' UNION SELECT secret FROM access.api_keys --",
)
LINES_OF_A_LOG = (
    'paid\r\n{"level": "error", "event": "forged_by_a_model"}',
    "\x1b[2J\x1b[31mforged_by_a_model",
    "forged\u2028_by_a_model",
)


def e_invoice(payload: str, number: str) -> bytes:
    """Whose vendor and whose first line are the payload."""
    text = XRECHNUNG.read_text()
    for plain in ("Lotwerk Vermessung GmbH", "Aufmaß Turnhalle"):
        assert plain in text
        text = text.replace(plain, escape(f"{plain} {payload}"))
    return text.replace("LV-2024-0088", number).encode()
