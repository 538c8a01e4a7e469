"""What stands on the sample invoices with a text layer. Every name and street is invented.

So are the numbers: accounts are the examples that banks and standards print, VAT ids are made
up, and all carry correct check digits, because a wrong one is what a reviewer is warned of.
"""

from datetime import date
from decimal import Decimal

from deploy.samples.parts import Invoice, Party, item

LARCH = Party("Larchfield Books Ltd", "14 Harbour Lane", "Bristol BS1 4QX", "GB 123 4567 82")
QUILL = Party("Quillwort Studio", "Unit 3, Mill Yard", "Leeds LS2 7EW")
NORDWIND = Party("Nordwind Werkzeuge GmbH", "Hafenstraße 21", "28195 Bremen")
ATELIER = Party("Atelier Bruyère SARL", "8 rue des Tanneurs", "69005 Lyon")

INVOICES = (
    Invoice(
        *("en-larchfield-books", "letter", "en", "GBP", "LB-2024-0117"),
        *(date(2024, 3, 14), date(2024, 4, 13)),
        Party(
            *("Larchfield Books Ltd", "14 Harbour Lane", "Bristol BS1 4QX"),
            *("GB 123 4567 82", "GB29NWBK60161331926819", "www.larchfield-books.example"),
        ),
        QUILL,
        Decimal(20),
        (
            item("Atlas of Tidal Maps, hardback", 4, "38.50"),
            item("Field guide to mosses", 12, "9.95"),
            item("Gift wrapping", 1, "6.00"),
        ),
    ),
    Invoice(
        *("en-copperline-analytics", "modern", "en", "USD", "INV-20871"),
        *(date(2024, 5, 2), date(2024, 6, 1)),
        Party(
            *("Copperline Analytics LLC", "400 Juniper Avenue", "Portland, OR 97205"),
            *("98-7654321", "", "www.copperline.example"),
        ),
        LARCH,
        Decimal("8.5"),
        (
            item("Dashboard subscription, May", 1, "1490.00"),
            item("Onboarding workshop", 2, "625.00"),
            item("Additional seats", 15, "19.90"),
        ),
    ),
    Invoice(
        *("de-nordwind-werkzeuge", "letter", "de", "EUR", "RE-2024-00482"),
        *(date(2024, 2, 7), date(2024, 3, 8)),
        Party(
            *("Nordwind Werkzeuge GmbH", "Hafenstraße 21", "28195 Bremen"),
            *("DE123456788", "DE91100000000123456789", "www.nordwind-werkzeuge.example"),
        ),
        Party("Tischlerei Amselgrund", "Waldweg 5", "31134 Hildesheim"),
        Decimal(19),
        (
            item("Handhobel Nr. 4", 3, "89.90"),
            item("Stechbeitel-Satz, 6-teilig", 2, "124.50"),
            item("Schleifpapier K120, Rolle", 10, "7.25"),
        ),
    ),
    Invoice(
        *("de-kanzlei-birkenau", "modern", "de", "EUR", "2024/1093"),
        *(date(2024, 6, 28), date(2024, 7, 12)),
        Party(
            *("Birkenau Steuerberatung PartG", "Lindenallee 77", "04109 Leipzig"),
            *("DE987654328", "DE44500105175407324931", "www.birkenau-beratung.example"),
        ),
        NORDWIND,
        Decimal(19),
        (
            item("Jahresabschluss 2023", 1, "2840.00"),
            item("Lohnbuchhaltung Juni", 14, "18.50"),
        ),
    ),
    Invoice(
        *("de-alpkaese-versand", "ledger", "de", "CHF", "70315"),
        *(date(2024, 9, 19), date(2024, 10, 19)),
        Party(
            *("Alpkäse Versand AG", "Dorfplatz 2", "7050 Arosa"),
            *("CHE-123.456.788 MWST", "CH9300762011623852957", "www.alpkaese.example"),
        ),
        Party("Gasthof zur Linde", "Seestrasse 40", "8002 Zürich"),
        Decimal("2.6"),
        (
            item("Bergkäse, 12 Monate gereift (kg)", 18, "31.40"),
            item("Alpbutter (kg)", 5, "16.80"),
            item("Kühlversand", 1, "24.00"),
        ),
    ),
    Invoice(
        *("fr-atelier-bruyere", "letter", "fr", "EUR", "FA-2024-0056"),
        *(date(2024, 1, 30), date(2024, 2, 29)),
        Party(
            *("Atelier Bruyère SARL", "8 rue des Tanneurs", "69005 Lyon"),
            *("FR11123456782", "FR7630006000011234567890189", "www.atelier-bruyere.example"),
        ),
        Party("Hôtel des Trois Ponts", "2 quai Saint-Vincent", "69001 Lyon"),
        Decimal(20),
        (
            item("Rideaux en lin, sur mesure", 6, "345.00"),
            item("Coussins brodés", 24, "42.50"),
        ),
    ),
    Invoice(
        *("fr-imprimerie-voltaire", "ledger", "fr", "EUR", "V-9921"),
        *(date(2024, 11, 4), date(2024, 12, 4)),
        Party(
            *("Imprimerie Voltaire SAS", "31 avenue du Parc", "59000 Lille"),
            *("FR14987654324", "FR1420041010050500013M02606", "www.voltaire-print.example"),
        ),
        ATELIER,
        Decimal(20),
        (
            item("Catalogue 48 pages, 1 000 ex.", 1, "1870.00"),
            item("Cartes de visite, boîte de 250", 8, "29.90"),
            item("Livraison", 1, "45.00"),
        ),
    ),
    Invoice(
        *("en-glenmoor-energy", "ledger", "en", "EUR", "GM0045871"),
        *(date(2024, 8, 12), date(2024, 8, 26)),
        Party(
            *("Glenmoor Energy plc", "5 Custom House Quay", "Dublin D01 X2K4"),
            *("IE4071825L", "IE29AIBK93115212345678", "www.glenmoor.example"),
        ),
        Party("Ashgrove Dental Practice", "60 Main Street", "Naas W91 TX28"),
        Decimal("13.5"),
        (
            item("Electricity, 2,140 kWh", 1, "577.80"),
            item("Standing charge, July", 1, "34.10"),
        ),
    ),
    Invoice(
        *("de-wolkenwerk-hosting", "modern", "de", "EUR", "WW-24-10-7734"),
        *(date(2024, 10, 1), date(2024, 10, 15)),
        Party(
            *("Wolkenwerk Hosting GmbH", "Mariahilfer Gasse 9", "1060 Wien"),
            *("ATU12345675", "AT611904300234573201", "www.wolkenwerk.example"),
        ),
        Party("Fotostudio Lichtblick", "Kaigasse 12", "5020 Salzburg"),
        Decimal(20),
        (
            item("Server M, Oktober", 2, "49.00"),
            item("Datensicherung, 500 GB", 2, "12.50"),
            item("Domain lichtblick.example, 1 Jahr", 1, "18.90"),
        ),
    ),
    Invoice(
        *("es-taller-olivar", "letter", "es", "EUR", "F-2024/0318"),
        *(date(2024, 4, 22), date(2024, 5, 22)),
        Party(
            *("Taller del Olivar SL", "Calle de la Noria 12", "41003 Sevilla"),
            *("ESB12345674", "ES9121000418450200051332", "www.taller-olivar.example"),
        ),
        Party("Librería Puerta Azul", "Plaza Mayor 3", "37002 Salamanca"),
        Decimal(21),
        (
            item("Estantería de nogal, a medida", 2, "745.00"),
            item("Barnizado de mesa", 1, "160.00"),
            item("Transporte", 1, "38.50"),
        ),
    ),
    Invoice(
        *("it-vetreria-lanterna", "modern", "it", "EUR", "2024-0772"),
        *(date(2024, 7, 9), date(2024, 8, 8)),
        Party(
            *("Vetreria Lanterna SRL", "Via del Molo 18", "16126 Genova"),
            *("IT03125470983", "IT60X0542811101000000123456", "www.vetreria.example"),
        ),
        Party("Pasticceria Girasole", "Corso Roma 41", "10123 Torino"),
        Decimal(22),
        (
            item("Vetrina su misura", 1, "1280.00"),
            item("Specchi molati", 6, "74.50"),
        ),
    ),
    Invoice(
        *("nl-drukkerij-meerkoet", "ledger", "nl", "EUR", "20240951"),
        *(date(2024, 12, 2), date(2025, 1, 1)),
        Party(
            *("Drukkerij Meerkoet BV", "Kanaalweg 27", "3526 KM Utrecht"),
            *("NL123456782B90", "NL91ABNA0417164300", "www.meerkoet.example"),
        ),
        Party("Fietsenmaker Duinzicht", "Stationsplein 8", "2011 LR Haarlem"),
        Decimal(21),
        (
            item("Folders A5, oplage 5.000", 1, "612.00"),
            item("Visitekaartjes, doos van 250", 4, "27.40"),
        ),
    ),
)
