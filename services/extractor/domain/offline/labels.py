"""The words that stand beside a value on an invoice, in English, German and French.

Strength says how seldom the word stands beside something else: `Rechnungsdatum` is always the
date of issue, `Datum` mostly. Patterns see folded text (lower case, no accents). Adding a
language is adding words here; no rule may name an issuer.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    pattern: re.Pattern[str]
    strength: float


def _labels(*rows: tuple[float, str]) -> tuple[Label, ...]:
    return tuple(
        Label(re.compile(rf"(?<![a-z])(?:{words})(?![a-z])"), strength)
        for strength, words in rows
    )


_NO = r"(?:n(?:o\b|°)\.?|nr\b\.?|num(?:ber|ero|mer)?\b\.?|#|№|id\b)"

INVOICE_NUMBER = _labels(
    (
        0.95,
        rf"(?:tax )?invoice {_NO}|invoice#|rechnungs?[- ]?{_NO}|rechnung {_NO}|rechnungsnr\.?|"
        rf"rechnungs-nr\.?|beleg-?{_NO}|facture {_NO}|{_NO} (?:de )?(?:la )?facture|"
        rf"credit note {_NO}|gutschrift-?s?{_NO}|rechnungsnummer|belegnummer|faktura-?{_NO}",
    ),
    (0.7, r"(?:tax )?invoice|rechnung|facture|bill no\.?|document no\.?|gutschrift"),
    (0.4, r"no\.|nr\.|reference|referenz|ref\.?"),
)
ISSUE_DATE = _labels(
    (
        0.95,
        r"invoice date|date of issue|issue date|date issued|invoice issued|issued on|"
        r"billing date|rechnungsdatum|ausstellungsdatum|belegdatum|"
        r"date (?:de (?:la )?)?factur(?:e|ation)|date d[’']emission|emise? le|faktura-?datum",
    ),
    (0.75, r"date|datum|dated|le|vom|den"),
)
NOT_THE_ISSUE_DATE = re.compile(
    r"due|delivery|service|order|ship|period|fallig|liefer|leistung|bestell|zahl|echeance|"
    r"livraison|commande|paiement|payment|versand|valid"
)
DUE_DATE = _labels(
    (
        0.95,
        r"due date|payment due(?: date)?|date due|pay by|payable by|due (?:on|by)|"
        r"fallig(?:keitsdatum|keit)?(?: am)?|zahlbar bis(?: zum)?|zu zahlen bis|zahlungsziel|"
        r"date d[’']echeance|echeance|a (?:regler|payer) avant(?: le)?|"
        r"date limite(?: de paiement)?",
    ),
    (0.7, r"due|bis zum|avant le"),
)
SUBTOTAL = _labels(
    (
        0.95,
        r"sub-? ?total|net (?:total|amount|worth|value)|total net|total excl\.?(?: vat| tax)?|"
        r"netto(?:betrag|summe)|summe netto|gesamt(?:betrag)? netto|gesamtnetto|zwischensumme|"
        r"(?:rechnungs|gesamt)?betrag ohne (?:ust|mwst)\.?|sous-total|total h\.?t\.?|"
        r"montant h\.?t\.?|total hors taxes?|amount before tax|total before tax",
    ),
    (0.6, r"netto?|net|h\.?t\.?|summe|taxable amount|base"),
)
TAX = _labels(
    (
        0.95,
        r"total (?:vat|tax|gst)|(?:vat|tax|gst) (?:total|amount)|"
        r"(?:summe|gesamt) (?:mwst|ust)\.?|(?:mehrwert|umsatz)steuer(?:betrag)?|"
        r"(?:mwst|ust)\.?-?betrag|steuer(?:betrag|summe)|"
        r"(?:total|montant) (?:de la )?t\.?v\.?a\.?|sales tax|gesamtsteuer",
    ),
    (0.8, r"vat|tax|gst|mwst\.?|ust\.?|t\.?v\.?a\.?|steuer|taxes"),
)
NOT_THE_TAX = re.compile(
    r"(?:incl|inkl|excl|exkl|ohne|zzgl|including|excluding|before)[a-z.]*,? "
    r"(?:der |[\d,.]+ ?% )?(?:vat|tax|mwst|ust|taxes|umsatzsteuer)|"
    r"(?:vat|tax) (?:id|reg|no|number)|ust-?id|steuer-?nr|steuernummer|numero de tva|tva intra"
)
TOTAL = _labels(
    (
        0.97,
        r"grand total|total (?:amount )?(?:due|payable)|amount due|balance due|invoice total|"
        r"total (?:to pay|incl\.?(?: vat| tax)?)|total gross|gross (?:total|amount|worth)|"
        r"rechnungs(?:betrag|summe)|gesamt(?:betrag|summe)|brutto(?:betrag|summe)|endbetrag|"
        r"zahlbetrag|zu zahlen(?:der betrag)?|fallige?r? betrag|gesamt brutto|summe brutto|"
        r"total t\.?t\.?c\.?|montant t\.?t\.?c\.?|net a payer|"
        r"total a (?:payer|regler)|montant total",
    ),
    (0.8, r"total|gesamt|summe|brutto|t\.?t\.?c\.?|amount"),
)
# `Seller: X` names X; `Seller Ltd` and `von dem Konto` do not.
_ALONE = r"(?=\s*(?::|\t|$))"
SELLER = _labels(
    (
        0.95,
        rf"(?:seller|vendor|supplier|sold by|verkaufer|lieferant|vendeur|fournisseur){_ALONE}",
    ),
    (
        0.75,
        rf"(?:from|von|emetteur|issued by|payable to|account holder|kontoinhaber|titulaire)"
        rf"{_ALONE}",
    ),
)
BUYER = re.compile(
    r"(?<![a-z])(?:bill(?:ed|ing)? (?:to|address)|invoice (?:to|address)|ship(?:ped|ping)? "
    r"(?:to|address)|sold to|deliver(?:y|ed)? (?:to|address)|customer|client|buyer|attn|"
    r"rechnung an|rechnungs(?:adresse|anschrift|empfanger)|liefer(?:adresse|anschrift)|kunde|"
    r"kaufer|empfanger|factur(?:e|er) a|adresse de (?:facturation|livraison)|destinataire|"
    r"acheteur)(?![a-z])"
)
AMERICAN = re.compile(r"\bUSD\b|\bU\.?S\.?A?\b|\$")
