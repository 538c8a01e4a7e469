"""From the bytes of an XML document to what it states, whichever syntax it is written in."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from services.extractor.domain.einvoice.cii import read_cii
from services.extractor.domain.einvoice.kinds import CREDIT_NOTE
from services.extractor.domain.einvoice.stated import Stated
from services.extractor.domain.einvoice.trees import DECLARED, Root, XmlRefused, parse
from services.extractor.domain.einvoice.ubl import read_ubl
from shared.invoice.paths import kind_of

_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_SYNTAXES: Mapping[Root, str] = {
    ("urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100", "CrossIndustryInvoice"): (
        "cii"
    ),
    ("urn:ferd:CrossIndustryDocument:invoice:1p0", "CrossIndustryDocument"): "zugferd_1",
    (f"{_UBL}Invoice-2", "Invoice"): "ubl",
    (f"{_UBL}CreditNote-2", "CreditNote"): "ubl",
}
_READERS = {"cii": read_cii, "zugferd_1": read_cii, "ubl": read_ubl}
# A price is never negative: where the amount of a line turns, its quantity does.
_TURNED_NUMBERS = frozenset({"quantity"})


@dataclass(frozen=True, slots=True)
class EInvoice:
    syntax: str
    # The rules that it says to follow, as a URN.
    profile: str
    stated: Mapping[str, Stated]
    # Codes of what a person should know: turned, cut.
    remarks: tuple[str, ...] = ()


def is_invoice(root: Root | None) -> bool:
    """Also one with a document type declaration, whose namespace nobody looks at: it is one
    that cannot be read, not something else."""
    return root in _SYNTAXES or root in {(DECLARED, name) for _, name in _SYNTAXES}


def read_xml(content: bytes) -> EInvoice:
    """Raises XmlRefused."""
    root = parse(content)
    syntax = _SYNTAXES.get((root.namespace, root.name))
    if syntax is None:
        raise XmlRefused("not_an_invoice", f"its root is {root.name[:100]}")
    profile, sheet = _READERS[syntax](root)
    remarks = ["cut"] if sheet.is_full else []
    stated: Mapping[str, Stated] = sheet.stated
    if _is_negative_credit(stated):
        remarks.append("turned")
        stated = {path: _turned(path, one) for path, one in stated.items()}
    return EInvoice(syntax, profile[:300], stated, tuple(remarks))


def _is_negative_credit(stated: Mapping[str, Stated]) -> bool:
    """The type says already that it is money back."""
    kind, total = stated.get("document.type"), stated.get("total")
    if kind is None or kind.value != CREDIT_NOTE or total is None or total.value is None:
        return False
    return Decimal(total.value) < 0


def _turned(path: str, one: Stated) -> Stated:
    is_turned = kind_of(path) == "money" or path.rpartition(".")[2] in _TURNED_NUMBERS
    if not is_turned or one.value is None or Decimal(one.value).is_zero():
        return one
    return Stated(f"{-Decimal(one.value):f}", one.raw)
