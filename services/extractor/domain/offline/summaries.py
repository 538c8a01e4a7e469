"""What lines of a table say that are of no thing sold: totals, what is carried over, discounts.

Patterns see folded text and must fit where a phrase begins: `Total care package` is told from a
total by its quantity and its price, which is up to the caller.
"""

import re
from collections.abc import Sequence

_CARRIED = re.compile(
    r"ubertrag|carr(?:y|ied) (?:forward|over)|brought forward|b/f\b|c/f\b|a reporter|report\b|"
    r"suma (?:y sigue|anterior)|riporto|transport|vortrag|total page|seitensumme|"
    r"zwischensumme seite"
)
_SUBTOTAL = re.compile(
    r"sub-? ?tot|zwischensumme|sous-? ?total|summe (?:position|titel|gruppe|seite)|"
    r"tussentotaal|parziale"
)
_TAX = (
    r"(?:vat|tax|gst|hst|sales tax|u\.?st\b|mwst|mehrwertsteuer|umsatzsteuer|"
    r"versicherungs?steuer|tva|taxes?|iva|btw|impuesto|imposta)"
)
_TOTAL = re.compile(
    r"(?:[a-z]{3,12}[ -])?(?:totals?|totale|totaal|totaux|totales)\b|"
    r"gesamt|summe\b|nettobetrag|nettosumme|netto\b|bruttobetrag|bruttosumme|brutto\b|"
    r"rechnungs(?:betrag|summe|beitrag)|endbetrag|zahlbetrag|offener betrag|zu zahlen|"
    r"(?:amount|balance|total) (?:due|paid|to pay)|balance|due payable|net total|net a payer|"
    r"montant (?:total|net|ht|ttc|tva|du)|base (?:imponible|h\.?t)|importe total|total a pagar|"
    r"imponibile|totale|netto a pagare|te betalen|exclusief|inclusief|excl\.|incl\. btw|"
    r"(?:(?:plus|zzgl\.?|zuzug\w*\.?|incl\w*\.?|inkl\w*\.?|davon|darin|\+) ?)?"
    rf"(?:\d{{1,3}}(?:[.,]\d{{0,3}})? ?%? ?)?{_TAX}(?!\w)|"
    r"steuer(?:betrag|basis)|warenwert|positionssumme|rechnungsbetrag|payment|paid\b|bezahlt|"
    r"bereits bezahlt|(?:an|voraus)zahlung|acompte|anticipo|skonto|prepaid|"
    r"amount (?:before|without)|taxable|zahlung\b"
)
_ALLOWANCE = re.compile(
    r"(?:abzgl|abzuglich|less|minus|zzgl|zuzuglich|plus|moins|menos|meno)?[.:]? ?"
    r"(?:[\d.,]{1,8} ?% ?)?(?:[a-z]{4,14} )?"
    r"(?:sonder|mengen|artikel|treue|kunden|stammkunden)?-?"
    r"(?:rabatt|nachlass|abschlag|discount|remise|descuento|sconto|korting|zuschlag|surcharge|"
    r"allowance|rebate|gutschein|voucher|coupon)"
)
_SHIPPING = re.compile(
    r"(?:zzgl|plus|abzgl)?\.? ?(?:versand|porto|fracht|lieferkosten|transportkosten|shipping|"
    r"freight|postage|delivery|p&p|handling|frais de (?:port|livraison)|port\b|"
    r"gastos de envio|portes|spese di (?:spedizione|trasporto)|verzendkosten|verpackung)"
)
_OF_A_TAX = re.compile(
    rf"(?:(?:plus|zzgl|zuzug\w*|incl\w*|inkl\w*|davon|dont)\.? ?)?{_TAX}(?!\w)"
)
_SUMMARIES = (("carried", _CARRIED), ("subtotal", _SUBTOTAL), ("total", _TOTAL))


def summary_of(labels: Sequence[str]) -> str | None:
    """What a line without a thing sold is for; the last phrase is the nearest to the sum."""
    for label in [*labels[-1:], *labels[:1]]:
        for kind, pattern in _SUMMARIES:
            if pattern.match(label):
                return kind
    return None


def is_of_a_tax(labels: Sequence[str]) -> bool:
    """`VAT 20 % on 500.00`: three numbers, and nothing sold."""
    return any(_OF_A_TAX.match(label) for label in labels)


def is_extra(label: str) -> bool:
    """Discount, surcharge or shipping: of a line or of the document, seldom a thing sold."""
    return bool(_ALLOWANCE.match(label) or _SHIPPING.match(label))
