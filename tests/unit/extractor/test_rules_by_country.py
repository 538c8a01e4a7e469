"""Whole invoices of six languages and other customs: each field from its own kind of layout."""

import pytest

from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Reading
from tests.unit.extractor.pages import page

SPANISH = """\
Talleres Montaña S.L.                                 FACTURA
C/ Mayor 12, 28013 Madrid                             Nº Factura: F-2024/0117
CIF: B12345674                                        Fecha: 12 de marzo de 2024
Tel. 912 345 678                                      Vencimiento: 11/04/2024

Cliente:
Comercial Pérez e Hijos S.A.
41001 Sevilla
NIF: A87654321

Concepto                         Cantidad   Precio      Importe
Cambio de aceite                 2          220,50      441,00

Base imponible                                          441,00 €
IVA 21%                                                 92,61 €
TOTAL FACTURA                                           533,61 €

Forma de pago: transferencia   IBAN: ES91 2100 0418 4502 0005 1332"""

ITALIAN = """\
Officine Lombarde S.r.l.
Via Garibaldi 8 - 20121 Milano (MI)
P.IVA 01234567897   C.F. 01234567897

                                        Spett.le
                                        Bianchi Costruzioni S.p.A.
                                        00184 Roma
                                        P.IVA 09876543217

Fattura n. 145/2024 del 05/02/2024
Scadenza: 06/03/2024

Descrizione                      Q.tà    Prezzo unitario   Importo    Aliquota IVA
Consulenza tecnica               10      200,00            2.000,00   22%

Totale imponibile                                     2.000,00
IVA 22%                                                 440,00
Totale documento                                    € 2.440,00

Banca: Credito Lombardo  IBAN IT60X0542811101000000123456  BIC BCITITMM"""

DUTCH = """\
Van Dijk Installaties B.V.
Havenstraat 21, 3011 AB Rotterdam
KvK 12345678   BTW-nr. NL123456782B90   IBAN NL91 ABNA 0417 1643 00

Factuur

Aan: De Groot Vastgoed N.V.             Factuurnummer:    2024-0456
t.a.v. de crediteurenadministratie      Factuurdatum:     3 mei 2024
3012 AG Rotterdam                       Vervaldatum:      17 mei 2024

Omschrijving                     Aantal   Prijs      Bedrag
Onderhoud cv-ketel               3        € 135,00   € 405,00

Totaal excl. btw                                     € 405,00
21% btw                                              € 85,05
Te betalen                                           € 490,05"""

FRENCH = """\
                                         FACTURE
SARL Menuiserie du Lac
12 quai des Vignes                       Numéro        : 2024/031
74000 Annecy                             Date          : 15/01/2024
N° TVA FR40303265045                     Échéance      : 14/02/2024

                                         Facturé à
                                         Copropriété Les Tilleuls
                                         74000 Annecy

Désignation                 Qté     PU HT       Montant HT
Porte en chêne              2       805,00      1 610,00

                            Total HT            1 610,00 €
                            TVA 10 %            161,00 €
                            Total TTC           1 771,00 €
                            Acompte versé       500,00 €
                            Net à payer         1 271,00 €

Règlement par virement : FR76 3000 6000 0112 3456 7890 189  BIC AGRIFRPP"""

AUSTRALIAN = """\
Coastal Plumbing Pty Ltd                         TAX INVOICE
ABN 51 824 753 556
14 Beach Road, Bondi NSW 2026                    Invoice Number   INV-00231
                                                 Invoice Date     07/08/2023
Bill To                                          Due Date         21/08/2023
Harbour Cafe
Sydney NSW 2000

Description            Quantity    Unit Price     GST     Amount AUD
Replace tap            2.00        210.00         10%     420.00

                                   Subtotal               420.00
                                   TOTAL GST 10%          42.00
                                   TOTAL AUD              462.00"""

AMERICAN = """\
ACME Freight Inc.
500 Industrial Blvd                         INVOICE
Dallas, TX 75201                            Invoice #: 10045
                                            Date: 04/03/2024
BILL TO:                SHIP TO:
Bluebonnet Foods LLC    Bluebonnet Warehouse
Austin, TX 78701        Houston, TX 77002

QTY    DESCRIPTION             UNIT PRICE     TOTAL
2      Pallet transport        $417.75        $835.50

                               SUBTOTAL       $835.50
                               SALES TAX      $68.93
                               TOTAL          $904.43"""

SWISS = """\
Bergbahn Technik AG
Dorfstrasse 3
CHE-123.456.788 MWST

Gasthaus Alpenrose
7000 Chur

Rechnung                                   Arosa, 4. November 2024

Rechnungsnummer   RG-88123
Zahlbar bis       04.12.2024

Wartung Skilift                            CHF 13'340.50
Total exkl. MWST                           CHF 13'340.50
MWST 8.1%                                  CHF  1'080.58
Total inkl. MWST                           CHF 14'421.08

Konto CH93 0076 2011 6238 5295 7"""

EXPECTED: dict[str, tuple[str, dict[str, str | None]]] = {
    "Spanish": (
        SPANISH,
        {
            "document.language": "es",
            "seller.name": "Talleres Montaña S.L.",
            "seller.vat_id": "B12345674",
            "buyer.name": "Comercial Pérez e Hijos S.A.",
            "buyer.vat_id": "A87654321",
            "invoice_number": "F-2024/0117",
            "issue_date": "2024-03-12",
            "due_date": "2024-04-11",
            "currency": "EUR",
            "subtotal": "441.00",
            "tax_total": "92.61",
            "total": "533.61",
            "payment.accounts.0.iban": "ES9121000418450200051332",
        },
    ),
    "Italian": (
        ITALIAN,
        {
            "document.language": "it",
            "seller.name": "Officine Lombarde S.r.l.",
            "seller.vat_id": "01234567897",
            "seller.tax_number": "01234567897",
            "buyer.name": "Bianchi Costruzioni S.p.A.",
            "buyer.vat_id": "09876543217",
            "invoice_number": "145/2024",
            "issue_date": "2024-02-05",
            "due_date": "2024-03-06",
            "currency": "EUR",
            "subtotal": "2000.00",
            "tax_total": "440.00",
            "total": "2440.00",
            "payment.accounts.0.iban": "IT60X0542811101000000123456",
            "payment.accounts.0.bic": "BCITITMM",
        },
    ),
    "Dutch": (
        DUTCH,
        {
            "document.language": "nl",
            "seller.name": "Van Dijk Installaties B.V.",
            "seller.vat_id": "NL123456782B90",
            "buyer.name": "De Groot Vastgoed N.V.",
            "invoice_number": "2024-0456",
            "issue_date": "2024-05-03",
            "due_date": "2024-05-17",
            "currency": "EUR",
            "subtotal": "405.00",
            "tax_total": "85.05",
            "total": "490.05",
            "amount_due": "490.05",
            "payment.accounts.0.iban": "NL91ABNA0417164300",
        },
    ),
    "French": (
        FRENCH,
        {
            "document.language": "fr",
            "seller.name": "SARL Menuiserie du Lac",
            "seller.vat_id": "FR40303265045",
            "buyer.name": "Copropriété Les Tilleuls",
            "invoice_number": "2024/031",
            "issue_date": "2024-01-15",
            "due_date": "2024-02-14",
            "currency": "EUR",
            "subtotal": "1610.00",
            "tax_total": "161.00",
            "total": "1771.00",
            "prepaid": "500.00",
            "amount_due": "1271.00",
            "payment.accounts.0.iban": "FR7630006000011234567890189",
        },
    ),
    "Australian": (
        AUSTRALIAN,
        {
            "document.type": "invoice",
            "seller.name": "Coastal Plumbing Pty Ltd",
            "seller.vat_id": "51824753556",
            "buyer.name": "Harbour Cafe",
            "invoice_number": "INV-00231",
            "issue_date": "2023-08-07",
            "due_date": "2023-08-21",
            "currency": "AUD",
            "subtotal": "420.00",
            "tax_total": "42.00",
            "total": "462.00",
        },
    ),
    "American": (
        AMERICAN,
        {
            "document.language": "en",
            "seller.name": "ACME Freight Inc.",
            "buyer.name": "Bluebonnet Foods LLC",
            "invoice_number": "10045",
            "issue_date": "2024-04-03",
            "due_date": None,
            "currency": "USD",
            "subtotal": "835.50",
            "tax_total": "68.93",
            "total": "904.43",
        },
    ),
    "Swiss": (
        SWISS,
        {
            "seller.name": "Bergbahn Technik AG",
            "seller.vat_id": "CHE123456788MWST",
            "invoice_number": "RG-88123",
            "issue_date": "2024-11-04",
            "due_date": "2024-12-04",
            "currency": "CHF",
            "subtotal": "13340.50",
            "tax_total": "1080.58",
            "total": "14421.08",
            "payment.accounts.0.iban": "CH9300762011623852957",
        },
    ),
}


def read(text: str) -> Reading:
    return read_invoice(page(*text.split("\n")), 1, "pdf_text")


@pytest.mark.parametrize("country", EXPECTED)
def test_an_invoice_is_read_by_the_customs_of_its_country(country: str) -> None:
    text, expected = EXPECTED[country]

    fields = read(text).fields

    assert {path: fields[path].value for path in expected} == expected
