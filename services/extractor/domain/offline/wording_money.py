"""What stands beside the sums of an invoice, in six languages, as `phrases.py` reads it."""

_TAX = "tax"
_NET = "without/zzgl"
_GROSS = "with/toutes"

MONEY = (
    (
        "subtotal",
        0.95,
        "sub total|subtotal|net total/amount/worth/value/sum/invoice|total net|"
        "total net amount|"
        f"-/total/gesamt/summe/betrag/amount/montant/importe/totaal/totale/subtotal/bedrag/sum "
        f"{_NET} -/der/of {_TAX}|"
        "netto betrag|netto summe|summe netto|gesamt netto|gesamtnetto|netto gesamt|"
        "gesamt betrag netto|zwischensumme|zwischen summe|"
        "rechnung summe/betrag ohne ust/mwst|rechnung summe netto|gesamtsumme netto|"
        "gesamt summe netto|warenwert netto|"
        "sous total|soustotal|sous total ht|total/montant/net/prix ht|total general ht|"
        "total net ht|total hors taxe/taxes/tva|montant hors taxe/taxes|"
        "montant net ht|amount/total before tax/vat|total ex vat|base imponible|"
        "total base imponible|"
        "subtotaal|sub totaal|totaal netto|netto totaal|netto bedrag|nettobedrag|"
        "totaal excl -/btw|totaal ex btw|"
        "imponibile|totale imponibile|totale netto|subtotale|base imposable|grondslag|"
        "taxable amount/value|taxable total|total taxable amount|"
        "total montant ht|suma neta|total neto|importe neto|total sin iva|total sin impuestos|"
        "basisbetrag|"
        "steuerpflichtiger betrag|warenwert|summe positionen netto|net payable excl|netto wert|"
        "nettowert gesamt|totale merce|entgelt netto|net before tax",
    ),
    (
        "subtotal",
        0.6,
        "netto|net|ht|neto|base|bemessungsgrundlage|imposable|taxable|steuer basis betrag|"
        "basis betrag|entgelt|nettopreis gesamt|montant eur ht|assiette",
    ),
    (
        "lines_total",
        0.8,
        "positions summe|positionssumme|sum goods|total goods|goods total|items total|"
        "item subtotal|total lignes|total lineas|suma lineas|totaal artikelen|totaal regels|"
        "totale righe|total articles|lines total|sum of lines|summe artikel|"
        "summe positionen|merchandise total|product total|warenwert gesamt|total items|"
        "artikelen",
    ),
    (
        "tax_total",
        0.95,
        f"total {_TAX}|{_TAX} total/amount/value/due/payable|"
        f"summe/gesamt mwst/ust/steuer/steuern|"
        "mehrwertsteuer|umsatzsteuer|mehrwertsteuer betrag|umsatzsteuer betrag|mwst betrag|"
        "ust betrag|steuer betrag|steuer summe|steuersumme|"
        "gesamt steuer|gesamtsteuer|zzgl/plus mwst/ust/umsatzsteuer/mehrwertsteuer/vat|"
        "montant tva/taxes|total montant tva|"
        "sales tax|importe/cuota iva|total impuestos|total imposte|imposta|importo iva|"
        "totale iva|totaal btw|btw bedrag|"
        "btw totaal|bedrag btw|cuota|taxe collectee|tva collectee|total tax amount|"
        "tax amount total|versicherungsteuer|"
        "versicherungssteuer|vat collected|estimated tax|state tax|hst|pst|qst|consumption tax|"
        "total gst|gst total|amount vat|amount tax",
    ),
    (
        "tax_total",
        0.8,
        "vat|tax|gst|mwst|ust|tva|iva|btw|steuer|taxes|igic|cgst|sgst|igst|moms|taxe|impuestos|"
        "igst amount",
    ),
    (
        "total",
        0.97,
        "grand total|invoice total|total invoice|invoice/bill amount|"
        "total invoice amount/value|total for this invoice|"
        f"total {_GROSS} -/der/of -/taxes/taxe/{_TAX}|"
        f"-/amount/sum/betrag/summe/bedrag/totaal/rechnung/gesamt/importe {_GROSS} -/der/of "
        f"{_TAX}|"
        "total gross|gross total/amount/worth/value/sum|total amount incl -/vat|"
        "rechnung betrag/summe|rechnungs betrag/summe/total|gesamt betrag/summe/brutto|"
        "gesamtsumme|brutto betrag/summe|bruttosumme|end betrag/summe|"
        "rechnung endbetrag|rechnungs end betrag|gesamt betrag brutto|summe brutto|"
        "brutto gesamt|total brutto|gesamtbetrag inkl mwst/ust|"
        "rechnung summe brutto|gesamt summe brutto|total/montant/net/prix ttc|"
        "total general ttc|montant total -/ttc|total toutes taxes comprises|"
        "total facture|facture total|total factura|importe total -/factura|total con iva|"
        "total iva incluido|total iva inclusa|"
        "totale fattura|totale documento|totale complessivo|totaal incl -/btw|"
        "totaal inclusief btw|totaal bedrag|totaalbedrag|"
        "factuur totaal/bedrag|eind totaal/bedrag|totaal factuur|total general|total amount|"
        "rechnungsbeitrag|totaal te voldoen|"
        "total documento|total importe|importe total|betrag gesamt|rechnung gesamt|"
        "gesamt rechnung betrag|total sales|total rm|"
        "rounded total|total rounded|round total|total after rounding|"
        "total sales inclusive gst|total amt incl gst|nett total|net total inclusive gst",
    ),
    (
        "total",
        0.8,
        "total|gesamt|summe|brutto|ttc|totale|totaal|suma|amount total|gesamtpreis|"
        "gesamtbeitrag|gross|total price|betrag brutto|endbetrag|total amt|totale euro|"
        "total eur/euro/euros/usd/gbp/chf",
    ),
    ("total", 0.5, "amount|betrag|montant|importe|bedrag|importo|charges|beitrag"),
    (
        "amount_due",
        0.9,
        "total -/amount due/payable|amount due/payable/owing|-/current balance due|balance due|"
        "balance|total due now|total to pay|to pay|"
        "please pay|amount to pay|zahl betrag|zahlbetrag|zu zahlen|zu zahlender betrag/beitrag|"
        "falliger betrag|offener betrag|"
        "net payer|a payer|total payer/regler|solde payer|reste payer|somme payer|"
        "montant payer/du|net a regler|restant du|"
        "te betalen|te betalen bedrag|totaal te betalen|openstaand bedrag|nog te betalen|"
        "da pagare|totale pagare|netto pagare|totale dovuto|"
        "importo pagare|total pagar|importe pagar|a pagar|pendiente pago|saldo|due payable|"
        "pay this amount|total payable amount|"
        "uberweisungs betrag|uberweisen betrag|forderungs betrag|rechnungsbetrag fallig|"
        "rest betrag|restbetrag|amount outstanding|liquido pagar|total debit|noch zu zahlen|"
        "zahlbar|a regler|solde|solde du|reste du|reste regler|te voldoen|nog te voldoen|"
        "saldo versare/pagare|saldo da versare|resto pagar|total a pagar|net due|outstanding|"
        "verbleibender betrag|verbleibt|to be paid",
    ),
    (
        "prepaid",
        0.9,
        "prepaid|amount/already paid|paid|deposit -/paid|less deposit|anzahlung -/en|"
        "anzahlungen|erhaltene anzahlungen|geleistete anzahlung|"
        "acompte -/verse|acomptes|deja paye|bereits gezahlt/bezahlt|abschlagszahlung|abschlage|"
        "acconto|anticipo|aanbetaling|"
        "reeds betaald|payment received|payments received|paid to date|less payments|"
        "vorauszahlung|"
        "montant regle|acompte recu|acompte deduit|deja regle/verse|reeds voldaan|voorschot|"
        "voorschotten|anticipo recibido|entrega cuenta|a cuenta|pagado|gia pagato/versato|"
        "acconto versato|anticipo ricevuto|acconti|abzgl anzahlung/abschlag|abschlag|"
        "deposit received|less paid|amount received|geleistete zahlungen|bisherige zahlungen|"
        "versement|verse",
    ),
    (
        "shipping",
        0.9,
        "shipping|-/plus shipping handling/costs/cost/fee|freight|carriage|postage|"
        "delivery -/charge/costs/fee|versand|versandkosten|versand kosten|"
        "frais port/livraison/expedition|port|verzendkosten|spese spedizione/trasporto|"
        "gastos envio|envio|portes|transport|transporte|trasporto|livraison|"
        "frais transport|spese spedizione|spedizione|bezorgkosten|leveringskosten|vracht|"
        "vrachtkosten|verzend kosten|porto verpackung|versand verpackung|postage packing|"
        "packing|transportkosten|lieferkosten|porto|fracht|frachtkosten|verzending",
    ),
    (
        "allowances_total",
        0.9,
        "discount -/total/amount|total discount|rabatt|nachlass|gesamt betrag abschlage|"
        "gesamtbetrag abschlage|summe abschlage|remise|"
        "remises|total remise|sconto|sconti|descuento|descuentos|korting|kortingen|ersparnis|"
        "less discount|trade/cash/volume discount|remise commerciale/globale|"
        "dto comercial/global|descuento comercial/global|dto|sconto totale/incondizionato|"
        "abzgl/abzueglich rabatt|af korting|klant/klantkorting|klantkorting|"
        "total allowances|gutschein|voucher|sondernachlass",
    ),
    (
        "charges_total",
        0.9,
        "gesamt betrag zuschlage|gesamtbetrag zuschlage|summe zuschlage|total charges|"
        "surcharge|surcharges|zuschlag|zuschlage|service charge|handling fee|"
        "bearbeitungsgebuhr",
    ),
    (
        "rounding",
        0.9,
        "rounding -/adjustment/adj/amount/difference|rundung|rundungs differenz|arrondi|"
        "arrotondamento|redondeo|afronding|round adj|rounding difference",
    ),
    (
        "previous_balance",
        0.9,
        "previous/prior/opening/brought balance|previous unpaid balance|"
        "balance brought forward|balance from last bill/invoice|balance last bill|last bill|"
        "last invoice|solde anterieur/precedent|saldo anterior|saldo precedente|"
        "vorheriger saldo|ausstehende forderung|ruckstand|vorig saldo|overdue|overdue balance|"
        "past due",
    ),
    (
        "other_money",
        0.9,
        "cash|change|tendered|cash tendered|rembours|visa|mastercard|credit card|skonto|"
        "unit price|price|einzelpreis|stuckpreis|preis|prix unitaire|prix|pu ht|precio|"
        "precio unitario|prezzo|prezzo unitario|prijs|"
        "capital|capital social|au capital|stammkapital|grundkapital|sarl au capital|"
        "sas au capital|indemnite|indemnite forfaitaire|savings|you saved|"
        "minimum payment|credit limit|withholding|retencion|irpf|ritenuta -/acconto|ritenuta|"
        "bruttopreis|nettopreis|einzel preis|"
        "stundensatz|insured|deckung|selbstbeteiligung|mahn gebuhr|verzugszinsen|late fee|"
        "exchange rate|wechselkurs|cambio|taux change|"
        "per unit|each|rate|tarif|tariff|eco contribution|dont eco|total savings|total qty|"
        "total quantity|total items|total weight|"
        "total hours|no items|item count|total kg|total km|total discount savings|tax rate|"
        "vat rate|steuer satz|steuersatz|taux|taux tva|tva taux|btw tarief|btw percentage|"
        "tipo iva|aliquota|aliquota iva",
    ),
    (
        "currency",
        0.95,
        "currency|wahrung|rechnung wahrung|rechnungswahrung|devise|monnaie|valuta|divisa|"
        "moneda|betrage in|alle betrage in|all amounts in|amounts in|all prices in|"
        "montants exprimes en|monnaie facturation|invoice currency|currency code|munt|"
        "prices are in|charges and prices are in",
    ),
)
