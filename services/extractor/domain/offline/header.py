"""The fields of an invoice outside its table, each from the rules for its kind."""

from collections.abc import Mapping

from services.extractor.domain.offline.accounts import accounts
from services.extractor.domain.offline.addresses import addresses
from services.extractor.domain.offline.banks import banks
from services.extractor.domain.offline.contacts import contacts
from services.extractor.domain.offline.countries import PARTIES, countries
from services.extractor.domain.offline.currencies import currency
from services.extractor.domain.offline.days import days
from services.extractor.domain.offline.identifiers import tax_number, vat_ids
from services.extractor.domain.offline.kinds import document_type, language
from services.extractor.domain.offline.parties import parties
from services.extractor.domain.offline.references import payment_reference, references
from services.extractor.domain.offline.registrations import registration
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.offline.sums import sums
from services.extractor.domain.offline.terms import terms
from services.extractor.domain.offline.totals import totals
from services.extractor.domain.reading import MISSING, Field


def header_of(sheet: Sheet) -> Mapping[str, Field]:
    money, names = totals(sheet), parties(sheet)
    fields = {
        **names,
        **references(sheet),
        **days(sheet),
        **terms(sheet),
        **contacts(sheet),
        **registration(sheet),
        "currency": currency(sheet),
        **money,
        **sums(sheet, money["total"]),
        **vat_ids(sheet, names.get("buyer.name", MISSING)),
        **accounts(sheet),
    }
    optional = {
        "document.type": document_type(
            sheet, has_a_number=fields["invoice_number"].value is not None
        ),
        "document.language": language(sheet),
        "seller.tax_number": tax_number(sheet),
        "payment.reference": payment_reference(sheet),
    }
    told = {path: one for path, one in optional.items() if one}
    named = {party: names.get(f"{party}.name", MISSING) for party in (*PARTIES, "ship_to")}
    fields = {**fields, **told, **addresses(sheet, named), **banks(sheet, fields)}
    return {**countries(fields), **fields}
