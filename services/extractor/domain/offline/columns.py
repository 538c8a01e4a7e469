"""What the head of a table calls its columns, in six languages, and what may stand in them.

One word means different things on different invoices (`Amount` counts pieces here and money
there), so a label gives roles in the order of likelihood; arithmetic over the rows decides.
Patterns see folded text. No rule may name an issuer.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

Role = Literal[
    "position",
    "code",
    "description",
    "date",
    "quantity",
    "unit",
    "unit_price",
    "price_base_qty",
    "discount",
    "tax_rate",
    "tax_amount",
    "tax_base",
    "amount",
    "gross",
]
Roles = tuple[Role, ...]
TEXTS: frozenset[Role] = frozenset(("description", "code", "unit", "date", "position"))

_NR = r"(?:n(?:r|o|um(?:mer|ber|ero)?)?[.°º]?|#|id)"
_TAX = (
    r"(?:vat|tax(?:es)?|gst|hst|u\.?st\.?|mwst\.?|mehrwertsteuer|umsatzsteuer|steuer|"
    r"t\.?v\.?a\.?|taxe|i\.?v\.?a\.?|btw)"
)
_ITEM = r"(?:art(?:ikel|icle|iculo|icolo|\.)|item|prod(?:uct|ukt|uit|ucto|otto|\.)?|material)"
# `Description of goods`, `Description / Service`.
_MORE = (
    r"(?: ?[/&] ?.{1,20}| (?:of|des?|der|del|della|degli|and|und|et|y|en|van|di|e) .{1,20})?"
)
# What narrows a label down without changing its column.
_QUALIFIER = re.compile(
    r"[(\[][^)\]]*[)\]]|\b(?:in |en )?(?:eur|usd|gbp|chf|euro|dem)\b|[€$£:*|]|"
    r"\b(?:excl(?:usi(?:ef|ve))?|exkl|ex|ohne|o|zzgl|before|hors|w/?o|without|senza|sin|zonder)"
    rf"\b\.? ?{_TAX}\.?|"
    r"\b(?:w/o|without|excl?\.?|ohne|exkl\.?|hors|senza|sin)$|"
    r"\bh\.?t\b\.?|\bnet(?:to|t)?\b$|(?<=preis )netto|\bpro (?:stuck|einheit)\b|"
    r"\bpar unite\b|\bper (?:stuk|unit|item)\b"
)
_INCLUDING = re.compile(
    rf"\b(?:incl(?:usi(?:ef|ve))?|inkl|including|inc|mit|con|toutes)\b\.? ?(?:de )?{_TAX}\.?|"
    r"\bttc\b|\b(?:brutto|gross|bruto)"
)
_NARROWING = re.compile(
    r"(?:ohne|excl\.?|exkl\.?|inkl\.?|incl\.?|in|eur|usd|gbp|chf|netto?|brutto|h\.?t\.?|ttc|je|pro|"
    r"per|%|€|\$|£|mit|zzgl\.?|ex|[(\[].*[)\]])(?: .{1,6})?"
)

_LABELS: tuple[tuple[Roles, str], ...] = (
    (
        ("tax_base",),
        r"(?:steuer ?)?(?:basis|grund)-?(?:betrag|lage|wert)|bemessungsgrundlage|warenwert|"
        r"steuerbasisbetrag|taxable(?: (?:amount|value))?|(?:base|maatstaf)(?: .{1,14})?|"
        r"grondslag|(?:net )?basis|base imponible|imponibile|netto-?umsatz",
    ),
    (
        ("tax_amount",),
        rf"{_TAX}[- ]?(?:betrag|amount|value|total|bedrag)|(?:montant|importe|importo|amount|"
        rf"valor|totaal|total|bedrag)(?: (?:de|of|della))?(?: la| l)?[- ]?{_TAX}|"
        r"cuota(?: iva)?|imposta|steuerbetrag|total taxes",
    ),
    (
        ("tax_rate", "tax_amount"),
        rf"%? ?(?:de )?{_TAX}[- ]?"
        r"(?:%|satz|rate|code|sch(?:l|luessel|lussel)\.?|tarief|perc\.?)?"
        rf"|(?:taux|tipo|aliquota)(?: de| di)?(?: la)? ?{_TAX}?|steuersatz|aliq\.?|"
        rf"(?:tarief|rate) {_TAX}|"
        rf"(?:tipo|%) ?(?:de )?{_TAX}|tax rate",
    ),
    (("position", "quantity"), "#"),
    (
        ("position",),
        rf"pos(?:ition|icion|izione|itie|\.)?[- ]?{_NR}?|{_NR}|lfd\.? ?{_NR}|"
        rf"(?:line|ligne|linea|riga|regel|row|item|zeile)(?: {_NR})|sl\.? {_NR}|s\.? ?{_NR}|"
        r"line|ligne|linea|riga|regel|zeile|lin\.?|no\.? pos\.?",
    ),
    (
        ("code",),
        rf"(?:unsere |ihre )?(?:{_ITEM}|art)[- ]*(?:{_NR}|code|cod\.?)(?:[- ].{{0,14}})?|sku|"
        r"gtin|ean(?:[- ]?code)?|hsn(?:/sac)?(?: code)?|upc|asin|fsn|(?:part|model) no\.?|mpn|"
        r"(?:code|codigo|codice|cod\.|ref\.?|referen(?:ce|cia|tie)|riferimento|rif\.)"
        r"(?: (?:article|articulo|articolo|art\.?|produit|producto|prodotto|item))?|"
        rf"(?:bestell|material|teile|produkt|product)[- ]?{_NR}|artikelcode|productcode|"
        rf"(?:numero|n[°º]) (?:de |d')?(?:article|articulo)",
    ),
    (
        ("unit_price",),
        r"(?:unit|net|list|sales|item) ?(?:price|cost|rate|value)|price(?: each|/unit| ea\.?)?|"
        r"rate(?:/.{1,6})?|cost|each|(?:price|cost) per (?:unit|item|hour|day)|unit cost|"
        r"hourly rate|"
        r"(?:einzel|stuck|netto|einheits|e|vk|verkaufs|listen|einzelnetto|stundens|grund)-?"
        r"(?:preis|atz)|preis(?: ?(?:/|je|pro) ?.{1,10})?|einzelpreis|einzel|ep|e\.?-?preis|"
        r"satz|p\.? ?u\.?(?: ht)?|p(?:r|rezzo)?\.? ?unit(?:ario|aire|\.)?|"
        r"(?:prix|precio|prezzo|prijs|costo|pr\.?)"
        r"(?: (?:de |di )?(?:un|ud|unit|uni)[a-z./]*)?(?: (?:de )?(?:venta|vente))?"
        r"(?:[ /]mois)?|"
        r"stuks?prijs|eenheids?prijs|stukprijs|tarief|tarifa?|tariffa|pvp|"
        r"(?:prijs|prezzo|prix|precio)/.{1,8}|prezzo/?unit.*|unitario|unitaire|"
        r"import[eo] (?:de )?unit.{0,6}",
    ),
    (
        ("price_base_qty",),
        r"(?:preis|mengen|vke)[/-]?(?:einheit|geb)|vke/geb|pe|price (?:unit|base)|"
        r"per|je|prijseenheid",
    ),
    (
        ("quantity", "unit"),
        r"units|unidades|uds?\.?|stucks?|stuks|pezzi|pieces|pcs\.?|nos\.?|hours?|hrs\.?|"
        r"stunden|std\.?|heures?|horas?|ore|uren|days?|tage|jours|nights?|dias|giorni|dagen",
    ),
    (
        ("quantity",),
        r"qty\.?|quantity|quant\.?|menge|anzahl|anz\.?|stuckzahl|q(?:uan)?te\.?|quantites?|"
        r"nombre|nb\.?|cant(?:idad|\.)?|quantita|q\.?ta'?\.?|aantal|hoeveelheid|"
        r"(?:qty|quantity|menge|anzahl) ?[/ ].{1,10}|(?:billed|liefer|rechnungs|shipped|"
        r"invoiced|order(?:ed)?)[- ]?(?:qty|quantity|menge)|count|no of .{1,10}",
    ),
    (
        ("unit",),
        r"unit|u\.? ?m\.?|uom|unit of measure|einh(?:eit|\.)?|me|meng(?:en)?[.-]* ?-?einheit|"
        r"unite|unidad|unita|eenheid|eh|u|ud|ue|u/m|mass(?:einheit)?",
    ),
    (
        ("discount",),
        r"(?:%? ?)(?:disc(?:ount|\.)?|rabatt|nachlass|remise|rem\.?|descuento|desc\.|dto\.?|"
        r"sconto|sc\.|korting|reduction|rebate)(?: ?%| amount)?",
    ),
    (
        ("description",),
        r"(?:(?:item|product|service|job|work|produkt|leistungs|artikel|waren|positions) ?-?)?"
        rf"(?:descriptions?|beschreibung|bezeichnung|omschrijving){_MORE}|"
        r"descr?\.?|particulars|details?|material/beschreibung|artikel/leistung|"
        rf"(?:designations?|libelles?|prestations?|denominations?){_MORE}|"
        rf"(?:descripcion(?:es)?|conceptos?|detalle|descrizione){_MORE}|"
        r"goods(?: .{1,14})?|beschrijving",
    ),
    (
        ("description", "code", "position"),
        rf"(?:{_ITEM}s?|services?|servi(?:cio|zio|ce)s?|beni|goods) ?/ ?\w+|"
        rf"{_ITEM}s?|services?|leistung(?:en)?|produits?|productos?|prodotti|products|items|"
        r"dienst(?:en)?|artikelen|servicios?|servizi[o]?|leistung/artikel|charges|articles|"
        r"waren?|gegenstand|ware/leistung|text|titel?|titre|title|task|activity|naam|name|nom",
    ),
    (
        ("gross",),
        r"(?:total|totaal|totale|gesamt|end)[- ]?(?:brutto|incl|bruto)(?:preis|betrag)?|"
        r"(?:brutto|bruto|gross)[- ]?(?:betrag|preis|wert|amount|worth|value|total|price|"
        r"bedrag|importe)?",
    ),
    (
        ("amount", "quantity", "unit_price"),
        r"amount",
    ),
    (
        ("amount", "gross"),
        r"(?:line|ext(?:ended|\.)?|item|sub)?-?[ ]?(?:total|amount|price)"
        r"(?: (?:price|amount|cost|net|value))?|net (?:worth|value|total|amount)|sum|"
        r"value|(?:netto|positions?|zeilen|"
        r"gesamt|rechnungs|einzel|end|waren)?-?(?:betrag|summe|wert)|gesamt(?:preis|netto)?|"
        r"g-?preis|gp|netto|"
        r"gesamt(?:betrag|preis|summe) ?(?:netto)?|montant(?: (?:total|net))?|prix total|"
        r"total(?: ligne)?|"
        r"importe(?: (?:total|neto))?|total(?: neto)?|(?:prezzo )?totale|importo(?: .{1,8})?|"
        r"(?:prijs )?totaal|(?:netto|totaal|regel)?-?bedrag|totaal(?:prijs|bedrag)?|prix|"
        r"charges?|entgelt|verguetung|vergutung|subtotaal|netto(?:preis)?",
    ),
    (
        ("date",),
        r"date|datum|fecha|data|leistungsdatum|service date|period|zeitraum|periode|periodo",
    ),
)
_COMPILED = tuple((roles, re.compile(pattern)) for roles, pattern in _LABELS)


@lru_cache(maxsize=4096)
def roles_of(label: str) -> Roles:
    """What a column under this folded label may hold, the likeliest first."""
    including = bool(_INCLUDING.search(label))
    bare = re.sub(r"\s+", " ", _QUALIFIER.sub(" ", _INCLUDING.sub(" ", label) or label))
    bare = bare.strip(" .-/,")
    for text in (label.strip(), bare):
        roles = _named(text)
        if roles:
            return _gross(roles) if including else roles
    if bare:
        return ()
    # `Net` alone, `Incl. VAT` alone: the sum of the row without or with its tax.
    return ("gross",) if including else ("amount", "tax_base", "unit_price")


def _named(text: str) -> Roles:
    matches = [roles for roles, pattern in _COMPILED if pattern.fullmatch(text)]
    named: Roles = tuple(dict.fromkeys(role for roles in matches for role in roles))
    # Where the price of one and the price of all stand, only arithmetic can tell.
    return (*named, "amount") if "unit_price" in named and "amount" not in named else named


def _gross(roles: Roles) -> Roles:
    """Including tax the sum of a row is gross; its price is a price all the same."""
    named: Roles = tuple("gross" if role == "amount" else role for role in roles)
    return tuple(dict.fromkeys((*named, "gross")))


def names_a_table(heads: Sequence[Roles]) -> bool:
    """Whether these columns are those of things sold: no tax table and no payment plan."""
    first = [roles[0] for roles in heads if roles]
    kinds = set(first)
    named = {"description", "quantity", "code"} & kinds
    money = {"amount", "gross", "unit_price"} & kinds
    enough = "description" in kinds or {"quantity", "unit_price"} <= kinds
    of_taxes = {"tax_amount", "tax_base"} & kinds and not {"quantity", "unit_price"} & kinds
    return bool(named and money and enough) and len(first) > 1 and not of_taxes


def narrows(label: str) -> bool:
    """Whether it stands beside a label (`without VAT`, `in EUR`) and is none itself."""
    return bool(_NARROWING.fullmatch(label))
