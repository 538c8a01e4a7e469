"""What a name of a company looks like, as opposed to all else that stands on a letter."""

import re

from services.extractor.domain.words import fold

LEGAL_FORM = re.compile(
    r"(?<![a-z.])(?:gmbh(?: ?& ?co\.? ?kgaa| ?& ?co\.? ?kg| mbh)?|mbh|ag|kg|ohg|gbr|ug|kgaa|"
    r"a\.g\.|"
    r"e\. ?k\.|e\. ?v\.|eg|se|inc\.?|incorporated|corp\.?|corporation|llc|llp|ltd\.?|limited|"
    r"plc|pty|pte|"
    r"l\.?p\.|co\.(?! )|sdn\.? bhd\.?|bhd\.?|pvt\.?|private limited|"
    r"s\.?a\.?s\.?u?|s\.?a\.?r\.?l\.?|s\.?a\.?|eurl|e\.u\.r\.l\.|sci|snc|s\.?p\.?r\.?l\.?|srl|"
    r"b\.? ?v\.?|n\.? ?v\.?|v\.?o\.?f\.?|bvba|cvba|"
    r"s\.? ?r\.? ?l\.?s?|s\.? ?l\.? ?u?\.?|s\.? ?p\.? ?a\.?|s\.? ?n\.? ?c\.?|s\.? ?a\.? ?s\.?|"
    r"s\.?c\.?|coop\.?|cooperativa|"
    r"oy|oyj|ab|a/s|aps|asa|sp\. ?z ?o\. ?o\.|s\.r\.o\.|kft\.?|zrt\.?|stiftung|verein|group|"
    r"holding|sons|gesellschaft|"
    r"enterprise|trading|kabushiki kaisha)(?![a-z])"
)
CHARS_MAX = 64
WORDS_MAX = 9
# The return address above a window envelope separates its parts by one of these.
_PARTS = re.compile(r"\s+[·•●|–—*-]\s+|,\s+|\s{2,}|\s+/\s+")
_DASHES = re.compile(r"\s+[·•●|–—*-]\s+|\s{2,}")
_STREET = re.compile(r"[a-z.] \d{1,4} ?[a-z]?(?:[-/]\d+)?$")
_TAIL = re.compile(
    r",? (?:au capital|with capital|siege social|siege|r\.?c\.?s\.?|rcs|capital social|sitz|"
    r"hrb|registered (?:in|office|at)|"
    r"vat|tva|siret|société|societe|tel|phone)(?![a-z]).*$"
)
_NOT_A_NAME = re.compile(
    r"invoice|rechnung(?!s)|facture|fattura|factuur|page\b|seite|pagina|\bdate\b|datum|fecha|"
    r"\btel\b|telefo|phone|fax|iban|\bbic\b|"
    r"\bvat\b|www|@|http|\btva\b|siret|\btotal|\bstreet\b|strasse|straße|\bstr\.|\broad\b|"
    r"\bavenue\b|\brue\b|\bcalle\b|\bvia\b|"
    r"customer|kunde\b|betrag|amount|nummer|currency|wahrung|devise|menge|quantity|quantite|"
    r"cantidad|quantita|aantal|"
    r"address|anschrift|adresse|direccion|indirizzo|copyright|geschaftsfuhr|amtsgericht|"
    r"sehr geehrte|dear |description|"
    r"beschreibung|bezeichnung|designation|descripcion|descrizione|omschrijving|deutschland|"
    r"^france$|^germany$|united|"
    r"^(?:herrn?|frau|mr|ms|mrs|monsieur|madame|sig|spett|to|an|von|from|original|copy|kopie|"
    r"duplicate|summary|items)[.:]?$|"
    r"^(?:rechnungs|thank|danke|merci|gracias|grazie|bedankt|please|bitte)|\bpayment\b|zahlung|"
    r"reglement|quotation|receipt\b|"
    r"stylesheet|version|handelsregister|postfach|p\.?o\.? box|\burn:|\bgln\b"
)


_PLACE = re.compile(
    r"(?:[a-z]{1,2}[- ])?\d{4,5} .*|nederland|belgie|belgique|belgium|italia|italy|espana|spain|france|"
    r"schweiz|suisse|svizzera|switzerland|osterreich|austria|deutschland|germany|ireland|england|"
    r"scotland|wales|india|australia|canada|portugal|usa|u\.s\.a\.|great britain|hong kong|singapore"
)


def first_part(text: str) -> str:
    """The name out of `Name Ltd - 1 Street - City` and of `Name SAS au capital de …`."""
    cut = _TAIL.search(fold(text))
    text = text[: cut.start()] if cut and cut.start() > 2 else text  # noqa: PLR2004 -- shorter is no name
    parts = [part for part in _PARTS.split(text) if part.strip()]
    if len(parts) > 1 and "," in text and not any(map(str.isdigit, text)):
        # Partners are separated like this too; an address has numbers.
        parts = [part for part in _DASHES.split(text) if part.strip()]
    if len(parts) > 1 and not LEGAL_FORM.fullmatch(fold(parts[1].strip(" ."))):
        return parts[0].strip(" :,;-•")
    return text.strip(" :,;-•")


def may_be_a_name(text: str) -> bool:
    folded = fold(text)
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdigit, text))
    return (
        3 <= len(text) <= CHARS_MAX  # noqa: PLR2004 -- shorter is an initial
        and letters > 2 * digits + 2
        and len(text.split()) <= WORDS_MAX
        and (text[0].isupper() or text[0].isdigit() or "." in text[1:-1])
        and not LEGAL_FORM.fullmatch(folded)
        and not text.endswith((":", "?", "!"))
        and not _NOT_A_NAME.search(folded)
        and not _PLACE.fullmatch(folded)
        and (LEGAL_FORM.search(folded) is not None or not _STREET.search(folded))
    )


def letters_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", fold(text))
