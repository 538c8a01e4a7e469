"""What stands above or before a party and its bank account, in the spelling of `phrases.py`."""

PARTIES = (
    (
        "seller",
        0.95,
        "seller|vendor|supplier|sold by|verkaufer|lieferant|vendeur|fournisseur|"
        "rechnungssteller|rechnungsersteller|"
        "rechnung steller|rechnung ersteller|aussteller|emetteur|prestataire|"
        "expediteur facture|proveedor|vendedor|"
        "emisor|fornitore|venditore|cedente|cedente prestatore|leverancier|verkoper|"
        "invoice from|billed by|issued by|issuer|"
        "service provider|biller|leistungserbringer|rechnung von|prestatore|payable to|pay to|"
        "remit to|remit payment to|"
        "cheques payable to|seller details|supplier details|supplier name|vendor name|"
        "seller name|company name|make checks payable to|"
        "merchant|store name",
    ),
    ("seller", 0.7, "from|von|absender|expediteur|mittente|remitente|afzender|de parte"),
    (
        "holder",
        0.75,
        "account holder|seller/verkaufer/vendor kontoname|account name|kontoinhaber|"
        "titulaire -/compte|intestatario -/conto|titular cuenta|tenaamstelling|"
        "ten name|rekeninghouder|beneficiary|beneficiary name|beneficiaire|begunstigter|"
        "empfanger konto|name on account|"
        "kontoname|zahlungsempfanger|name of account holder|ordre|tnv|t n v|op naam van|"
        "op naam|beneficiario",
    ),
    (
        "buyer",
        0.95,
        "bill to|billed to|billing to/address/details|invoice to/address|invoiced to|sold to|"
        "customer|customer name/address/details|client|client name|"
        "buyer|purchaser|bill to address|rechnung an|rechnung adresse|rechnung anschrift|"
        "rechnungsadresse|rechnungsempfanger|"
        "rechnung empfanger|kunde|kaufer|kaufer leistungsempfanger|leistungsempfanger|"
        "auftraggeber|besteller|facture a|facturer a|facturee|adresse facturation|"
        "acheteur|destinataire|client facture|facturado|facturar a|cliente|datos cliente|"
        "comprador|direccion facturacion|"
        "adquirente|destinatario|cessionario|cessionario committente|committente|acquirente|"
        "spett le|spettle|spett|intestatario fattura|"
        "factuuradres|factuur adres|factuur aan|klant|klantgegevens|afnemer|koper|debiteur|"
        "guest name|nom abonne|"
        "abonne|fatturare a|intestatario|destinataire facture|facture adressee|"
        "ter attentie van|titular contrato|indirizzo fatturazione|ordered by|issued to|"
        "invoice recipient|"
        "subscriber|member name",
    ),
    (
        "buyer",
        0.8,
        "to|an|aan|a|a attention -/de|per|para|attn|attention|recipient|receiver|t a v|tav",
    ),
    (
        "ship_to",
        0.95,
        "ship to|shipped to|shipping to/address|deliver to|delivered to|delivery to/address|"
        "lieferadresse|liefer adresse|lieferanschrift|liefer anschrift|"
        "warenempfanger|abweichender warenempfanger|adresse livraison|livre a|livraison a|"
        "afleveradres|aflever adres|bezorgadres|leveringsadres|"
        "direccion entrega/envio|enviar a|indirizzo consegna/spedizione|luogo consegna|"
        "destinazione|destinazione merce|consignee|adresse installation|leistungsort|"
        "service address|property address|lugar entrega|lieu livraison|lieferung an",
    ),
    (
        "payee",
        0.9,
        "abweichender zahlungsempfanger|payee|abweichender rechnungsempfanger|"
        "steuerbevollmachtigter|tax representative",
    ),
    (
        "contact",
        0.9,
        "vertreter|sales representative|salesperson|contact commercial|ansprechpartner|"
        "sachbearbeiter|contact|agent|contactpersoon|referente",
    ),
    (
        "name",
        0.9,
        "name|nom|nombre|naam|nome|firma|ragione sociale|denominazione|raison sociale|"
        "razon social|bedrijfsnaam|company|denominacion",
    ),
    ("address", 0.9, "anschrift|address|adresse|direccion|indirizzo|adres|domicilio"),
    (
        "iban",
        0.95,
        "iban|seller/verkaufer/vendor iban|iban no|no iban|code iban|iban code|iban konto",
    ),
    (
        "bic",
        0.95,
        "bic|seller/verkaufer/vendor bic|swift|bic swift|swift bic|swift code|bic code|"
        "code bic|code swift|swift no",
    ),
    (
        "bank",
        0.9,
        "bank|bankverbindung|banque|banco|banca|bank details|bankgegevens|bank name|bankname|"
        "domiciliation|entidad|entidad bancaria|banca appoggio|coordonnees bancaires|"
        "datos bancarios|bank account|rekeningnummer|"
        "rekening no|rekening|kreditinstitut|geldinstitut",
    ),
)
