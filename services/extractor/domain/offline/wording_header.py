"""What stands beside the numbers of an invoice, in six languages.

A phrase is written as `phrases.py` reads it: without joining words, `x/y` for either word, `-`
for none, `no` for every way to write "number". Adding a language is adding words; no row may
name an issuer. Rows of kinds that nobody asks for own the values beside them.
"""

INVOICE = (
    "invoice/facture/fattura/factura/factuur/rechnung/faktura/fatura/nota/beleg/bill/document/"
    "receipt/avoir/gutschrift/creditnota/creditfactuur/rechnungsbeleg/dokument/documento/abono/"
    "ricevuta/recibo/quittung/parcella/voucher/rechnungskorrektur/rectificativa"
)

NUMBERS = (
    (
        "invoice_number",
        0.95,
        f"-/tax/vat/sales/commercial {INVOICE} no/id|{INVOICE} ref/reference/nro|"
        "inv no|inv|inv ref|rechn/rg/re/rng no|"
        "no facture/fattura/factura/factuur/rechnung/invoice|"
        "reference facture/invoice|credit note/memo no|note credit no|nota credito no|"
        "facture avoir no|"
        "no avoir|credit/debit memo no|ref facture|fact no|fra no|factura serie no|"
        "numero documento|rechnungs kennung|invoice code|invoice identifier|rechnungs id",
    ),
    (
        "invoice_number",
        0.9,
        "factura/facture/fattura/rechnung/invoice simplificada/simplifiee no",
    ),
    (
        "invoice_number",
        0.7,
        "-/tax/vat/sales/commercial/proforma invoice|rechnung|facture|fattura|factura|factuur|"
        "faktura|"
        "gutschrift|avoir|credit note|note credit|nota credito|creditnota|credit memo|"
        "kopie factuur|"
        "rechnung korrektur|facture avoir|factura rectificativa|facture acquittee",
    ),
    (
        "invoice_number",
        0.5,
        "booking id/no|reservation no|transaction no/id|receipt|folio no|statement no",
    ),
    ("number", 0.4, "no|ref|reference|referenz|referentie|riferimento|referencia"),
    (
        "purchase_order",
        0.95,
        "-/your/customer purchase order -/no|po no|po|p o no|"
        "order/bestell/bestellung/commande/pedido/ordine/"
        "bestelling no|bestell/bestelling ref|no commande/pedido/ordine/order|"
        "order ref/reference/id|"
        "bon commande -/no|su/vuestro pedido|vostro ordine|votre commande|"
        "uw/uw bestelling/order -/no|inkoop order/ordernummer -/no|inkooporder -/no|"
        "bestelnummer|bestel no|"
        "uw order/bestel no|vs/vostro/rif ordine|orden/ordre compra/achat -/no|orden no|"
        "ordine cliente/acquisto -/no|pedido cliente|commande client|"
        "ihre bestellung -/no|order|bestellung|bestelling|commande|pedido|customer po|"
        "client po|"
        "buyer order no|ordernummer|your order -/no|ihr/ihre auftrag/order -/no",
    ),
    (
        "customer_number",
        0.95,
        "customer/client/klant/kunden/kunde/cliente/account/member/debitor/debiteur/debiteuren/abonne/"
        "subscriber/deb/kd no/id/code/ref/reference|"
        "no/code/ref/reference client/cliente/compte/abonne/klant|"
        "customer account -/no|ihre kundennummer|uw klantnummer|numero cliente|compte client|"
        "id client|"
        "codice cliente|codigo cliente|customer id|cod cliente|cod client|debitor|"
        "debiteurnummer|"
        "kunden id|klant no|abonado no|abbonato no",
    ),
    (
        "sales_order",
        0.9,
        "auftrag/auftrags/sales/vorgang/vorgangs/opdracht no|sales order -/no|auftrag|"
        "order confirmation no|"
        "auftragsbestatigung -/no",
    ),
    (
        "delivery_note",
        0.9,
        "delivery note/slip -/no|lieferschein -/no|bon livraison -/no|documento trasporto|"
        "ddt -/no|albaran -/no|"
        "pakbon -/no|lieferung no|packing slip no|shipment no|liefer no|lieferavis|bl no|"
        "no bl|ls no|"
        "despatch/dispatch note/advice -/no|dn no|leverbon -/no|leverbon|no albaran|bolla -/no|"
        "no ddt|d d t -/no|vrachtbrief -/no",
    ),
    (
        "contract_ref",
        0.9,
        "contract/vertrag/vertrags/contrat/contratto/contrato -/no/ref|"
        "no contrat/contrato/contratto|"
        "vsnr|agreement no/ref|overeenkomst -/no|vertrags/vertrag konto -/no|"
        "vertragskonto -/no|"
        "policy no",
    ),
    (
        "project_ref",
        0.9,
        "project/projekt/projet/progetto/proyecto -/no/ref/name|job no|chantier|bauvorhaben|"
        "affaire -/no|"
        "commessa -/no|cantiere|obra -/no|werk no|codice commessa|no affaire/projet|"
        "kommission -/no",
    ),
    (
        "buyer_reference",
        0.9,
        "your ref/reference|ihr zeichen|ihre referenz|votre reference|votre ref|"
        "uw ref/referentie/kenmerk|"
        "su referencia|vostro/vs riferimento/rif|vs rif|s ref|v ref|u ref|s referencia|"
        "v reference|"
        "referencia/riferimento/referentie/reference cliente/klant|ihr zeichen vom|"
        "leitweg id|customer ref/reference|buyer reference|"
        "referenz kaufers",
    ),
    (
        "payment_reference",
        0.9,
        "payment reference/ref/communication|zahlungsreferenz|verwendungszweck|"
        "betalingskenmerk|reference "
        "paiement|referencia pago|riferimento pagamento|remittance -/ref/reference|"
        "structured communication|"
        "communication structuree|gestructureerde mededeling|causale|concepto|kid|"
        "referenznummer|"
        "reference number|following communication|communication|mededeling|referenz bitte|"
        "please quote|quote this/reference|onder vermelding -/van|ovv|o v v|vermelding|"
        "reference rappeler|a rappeler|concepto pago|concepto transferencia|"
        "referenza pagamento|zahlungs referenz|qr referenz|rf referenz",
    ),
    (
        "preceding_invoice",
        0.95,
        "rectifica factura|facture liee/origine/initiale|original/related invoice -/no|"
        "ursprungsbeleg -/no|"
        "ursprungsrechnung -/no|"
        "zu rechnung -/no|oorspronkelijke factuur|factura original/rectificada|"
        "fattura origine|previous invoice -/no|credit for invoice -/no|annule facture|"
        "refers to/for invoice -/no|against invoice -/no|in respect invoice -/no|"
        "re invoice -/no|"
        "credit against invoice -/no|korrektur/storno/gutschrift zu rechnung -/no|"
        "bezug rechnung -/no|bezugsrechnung -/no|avoir sur facture -/no|sur facture -/no|"
        "relatif facture -/no|se rapporte facture -/no|concerne facture -/no|"
        "rectifica a factura -/no|abono factura -/no|factura rectificada -/no|"
        "rif/riferimento fattura -/no|storno fattura -/no|a storno fattura -/no|"
        "fattura collegata/rettificata -/no|betreft factuur -/no|credit op factuur -/no|"
        "creditering factuur -/no",
    ),
    (
        "vat_id",
        0.95,
        "-/tva/vat/btw vat/tva/btw/gst/iva/tax/ust/uid/ustid/ustidnr/umsatzsteuer/mwst "
        "id/reg/registration/idnr/"
        "identnr/ident/identification/identifikations/identificatie -/no|"
        "vat/btw/tva/iva/ust/ustid/gst/uid no|"
        "no vat/tva/btw/iva|"
        "tva intra/intracom/intracommunautaire/intracommunautair/identification|"
        "no tva intra/intracom/intracommunautaire|no intracommunautaire|partita iva|p iva|piva|"
        "p/part iva|"
        "nif|cif|nif iva|n i f|c i f|nif cif|cif nif|"
        "nif/cif/vat/btw/tva/iva/ust cliente/client/klant/customer|"
        "nif/cif cliente|p iva cliente|partita iva cliente|btw id|tva intra communautaire|"
        "no tva intra communautaire|"
        "vat/btw registration -/no|company vat -/no|ust id -/no|ust ident -/no|ustid|uid|"
        "ust idnr|mwst no|"
        "tax id -/no|gstin|gst|abn|tax identification no|taxpayer id|tin|ein|vat tin|vat code|"
        "codice iva|"
        "umsatzsteuer id -/no|umsatzsteuer identifikations -/no|no identification tva|"
        "c f/cf p/part iva|iva cif|"
        "umsatzsteuer identifikation -/no|federal tax id|tax registration no|gst reg no|"
        "gst id no|gst registration no",
    ),
    (
        "tax_number",
        0.9,
        "steuer no|st no|stnr|codice fiscale|cod fisc|c f|cf|fiscal code|numero fiscal|"
        "tax payer no",
    ),
    (
        "legal_id",
        0.9,
        "reg no|org no|orgnr|siret|siren|rcs|kvk|kvk no|hrb|hra|hrb no|handelsregister -/no|"
        "handelsregisternummer|"
        "company reg/registration "
        "-/no|company no|registered no|registration no|rea|ape|naf|cin|coc -/no|"
        "chamber commerce|"
        "registro mercantil|registre|amtsgericht|firmenbuch -/no|fn|registergericht",
    ),
    # Of a customer, or of a bank: the lines around it say which.
    ("account", 0.9, "account no|acct no|a c no|account"),
    (
        "other_number",
        0.9,
        "tel|telefon|telephone|phone|fax|telefax|mobil|mobile|telefono|telefoon|page|seite|"
        "pagina|page no|"
        "artikel/art/article/item/produkt/product/material/serien/serial/serienummer no|sku|"
        "ean|gtin|gln|"
        "konto no|kto -/no|blz|sort code|bank code|bankleitzahl|lief no|"
        "lieferanten no|globale no|"
        "supplier/vendor/fournisseur no|abteilung|weee reg -/no|meter/zahler no|zahlernummer|"
        "iban|bic|swift|"
        "reklamations no|rapport no|personal no|dossier no|numero dossier|ligne no|"
        "numero ligne|vehicle|kennzeichen|"
        "version|capital|pos|position|menge|qty|quantity|rib|ifsc -/code|cvr -/no|"
        "mandats referenz|mandate "
        "reference -/no|creditor id|glaubiger id|glaubiger identifikations no|gutschein no|"
        "coupon|tracking -/no|"
        "auftrag no lief|suite|room|zimmer|kamer|patient no|case no|warehouse|table no|"
        "unser zeichen|"
        "our ref/reference|notre reference|nostro riferimento|ons kenmerk|regulatory|po box|"
        "postfach",
    ),
)
