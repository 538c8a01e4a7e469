"""What stands beside the dates of an invoice, in six languages, as `phrases.py` reads it."""

from services.extractor.domain.offline.wording_header import INVOICE

DATES = (
    (
        "issue_date",
        0.95,
        "rechnung -/und liefer/leistung datum|faktura dato|utstedt|fakturadato|"
        f"{INVOICE} date/datum/data/fecha|date/datum/data/fecha {INVOICE}|"
        f"date issue/issued/emission/facturation|"
        "issue date|invoice issued|issued on|billing/bill date|"
        "ausstellungs/ausstellung/beleg/faktura/rechn/rg datum|date "
        "emission|emise|emis|data emissione|fecha emision/expedicion/facturacion|"
        "datum uitgifte|issued at|issued|"
        "ausgestellt am|erstellt am|invoiced on|invoice dated|statement date|tax point|"
        "date tax point|"
        "data documento|fecha documento|factuur datum|rechnung datum|credit note date|"
        "receipt date|transaction date|"
        "date time|date facture|documentdatum",
    ),
    ("issue_date", 0.75, "date|datum|dated|data|fecha|dato"),
    (
        "due_date",
        0.95,
        "vervaldag|fecha cargo|date prelevement|forfallo datum|forfallodatum|forfalls dato|"
        "forfallsdato|forfaldsdato|data vencimento|"
        "due date|payment due -/date/by/on|date due|pay by/before|payable by/before/until/on|"
        "due on/by|due|falligkeits "
        "datum|fallig -/am/zum/bis|falligkeit|falligkeitsdatum|falligkeitstag|zahlbar bis|"
        "zu zahlen bis|zahlungsziel|"
        "zahlung bis|zahlbar -/spatestens am/zum|date echeance|echeance|echeance paiement|"
        "a regler/payer avant/jusqu|"
        "regler/payer avant|date limite -/paiement|paiement avant|paiement du|vervaldatum|"
        "verval datum|uiterste betaal datum|"
        "betalen voor|te betalen voor/uiterlijk|uiterlijk|betaaldatum|data scadenza|scadenza|"
        "scade il|da pagare entro|"
        "entro il|pagare entro|fecha vencimiento|vencimiento|vence|fecha limite -/pago|"
        "pagar antes|remit until|"
        "please pay by|zahlungsfrist|termin zahlung|payment date|date paiement|date reglement|"
        "data pagamento|vto|fecha vto|scadenza pagamento|a/da pagare/saldare entro il|"
        "due no later than|"
        "betalen voor|te voldoen voor|voldoen voor|betaal voor|a payer le|a regler le|"
        "payable le|"
        "a pagar antes|vence el|fecha pago|betaling uiterlijk|zahlung/zahlbar -/faellig am|"
        "zahlbar ohne abzug bis|ohne abzug bis|abzug bis|netto bis|tagen netto bis|"
        "uberweisen bis",
    ),
    (
        "due_date",
        0.7,
        "bis zum|bis spatestens|avant le|prelevement",
    ),
    (
        "delivery_date",
        0.95,
        "delivery date|date delivery/livraison|liefer datum|lieferungs datum|leistungs datum|"
        "liefer leistungs datum|leistung datum|"
        "liefer und leistungs datum|lieferzeitpunkt|leistungszeitpunkt|fecha entrega|"
        "data consegna|leverdatum|lever datum|"
        "date prestation|supply date|date supply|shipped on|ship/shipping date|versand datum|"
        "date service|service date|"
        "lieferung am|geliefert am|leistung am|date operation|fecha operacion|"
        "date delivered/supplied|"
        "shipped|delivered -/on|supplied on|livre le|date execution|consegnato il|"
        "datum levering/leverdatum|geleverd op|entregado el|date expedition|data spedizione|"
        "data servizio|fecha servicio|datum dienst|prestatie datum",
    ),
    (
        "service_period",
        0.95,
        "service/billing/invoice/statement period|billing cycle|abrechnungs zeitraum|"
        "leistungs zeitraum|rechnungs zeitraum|"
        "abrechnungszeitraum|leistungszeitraum|rechnungszeitraum|lieferzeitraum|"
        "verbrauchszeitraum|periode -/facturation|"
        "periode|period|periodo -/facturacion|periodo riferimento|facturatieperiode|zeitraum|"
        "for period|consumption period|period covered|covering period|periode prestation|"
        "periode factuur|dienstverlening periode|dienstverleningsperiode|factuur periode|"
        "periodo -/fatturazione/servicio|periodo competenza|periode du|period from",
    ),
    (
        "other_date",
        0.95,
        "order date|date order/commande|bestell datum|bestellung vom|orderdatum|order datum|"
        "fecha pedido|data ordine|"
        "date print/printed|print date|druck datum|lieferschein datum|valid until|gultig bis|"
        "valable jusqu|geldig tot|valido hasta|"
        "valido fino|auftrag datum|auftrags datum|date naissance|geburts datum|date of birth|"
        "birth|start date|end date|"
        "contract date|check in|check out|arrival|departure|anreise|abreise|skonto bis|"
        "skonto innerhalb|skonto|escompte|"
        "sconto|descuento pronto pago|korting|version|stand|expiry date|expires|expiration|"
        "mandats datum|meter reading|"
        "ablese datum|last payment|received on|payment received|paid on|bezahlt am|paye le|"
        "pagado|betaald op|op|"
        "reporting date|purchase date|kauf datum|date achat|date valeur|next billing date|"
        "best before",
    ),
)
