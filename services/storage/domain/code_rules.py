"""The code lists of EN 16931, and the rules that hold an invoice to them.

What a person approved may say a currency or a country in words; whoever takes the invoice in
knows codes only. Units are held to the form of their codes: there are two thousand of them.
"""

import re
from collections.abc import Iterator

from services.storage.domain.concluding import CREDIT_CODES
from services.storage.domain.invoice import Invoice

Told = Iterator[tuple[str, str, str]]

# UN/EDIFACT 1001, as far as it names invoices and credit notes.
_TYPE_CODES = """
    71 80 81 82 83 84 102 130 202 203 204 211 218 219 261 262 295 296 308 325 326 331 380
    381 382 383 384 385 386 387 388 389 390 393 394 395 396 420 456 457 458 471 472 473 500
    501 502 503 527 532 553 575 623 633 751 780 817 870 875 876 877 935
"""
# UN/EDIFACT 4461: from 1 to 70, and what came later.
MEANS_CODES = frozenset(map(str, (*range(1, 71), *range(74, 79), *range(91, 99)))) | {"ZZZ"}
UNIT_CODE = re.compile(r"[0-9A-Z]{2,3}")
# ISO 6523, of which there are some two hundred.
SCHEME_CODE = re.compile(r"0[0-9]{3}")
WITH_SCHEME = ("seller", "buyer")
# ISO 4217, with what is only reckoned in.
_CURRENCIES = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD
    BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD
    EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR
    IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD
    MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB
    PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
    STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED
    VES VND VUV WST XAF XCD XDR XOF XPF YER ZAR ZMW ZWG
"""
# ISO 3166-1, and the two that stand for Kosovo and Northern Ireland.
_COUNTRIES = """
    1A AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN
    BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE
    DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN
    GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE
    KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA
    PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK
    SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
    UM US UY UZ VA VC VE VG VI VN VU WF WS XI YE YT ZA ZM ZW
"""
TYPE_CODES = frozenset(_TYPE_CODES.split())
CURRENCIES = frozenset(_CURRENCIES.split())
COUNTRIES = frozenset(_COUNTRIES.split())


def code_rules(invoice: Invoice) -> Told:
    """What is absent breaks no rule here: others ask for it."""
    known = [
        ("BR-CL-01", *_kind(invoice)),
        ("BR-CL-04", "currency", "currency", invoice.currency, CURRENCIES),
        (
            "BR-CL-05",
            "currency",
            "accounting_currency",
            invoice.text("accounting_currency"),
            CURRENCIES,
        ),
        ("BR-CL-16", "means of payment", "payment.means_code", invoice.means_code, MEANS_CODES),
        *(
            ("BR-CL-14", "country", f"{role}.address.country", party.country, COUNTRIES)
            for role, party in invoice.parties.items()
        ),
    ]
    for rule, what, at, said, codes in known:
        if said and said not in codes:
            yield rule, f"{said[:20]} is no code of a {what}.", at
    for role in WITH_SCHEME:
        party = invoice.parties[role]
        scheme = party.legal_id_scheme if party.legal_id else None
        if scheme and not SCHEME_CODE.fullmatch(scheme):
            says = f"{scheme[:20]} is no code of a register."
            yield "BR-CL-11", says, f"{role}.legal_id_scheme"
    for place, line in zip(invoice.members("lines"), invoice.lines, strict=True):
        if not UNIT_CODE.fullmatch(line.unit_code):
            says = f"{line.unit_code[:20]} is no code of a unit."
            yield "BR-CL-23", says, f"lines.{place}.unit_code"


def _kind(invoice: Invoice) -> tuple[str, str, str | None, frozenset[str]]:
    what, codes = "type of invoice", TYPE_CODES - CREDIT_CODES
    if invoice.is_credit_note:
        what, codes = "type of credit note", CREDIT_CODES
    return what, "document.type_code", invoice.type_code, codes
