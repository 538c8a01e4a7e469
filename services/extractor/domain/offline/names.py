"""What a name of a company looks like, as opposed to all else that stands on a letter."""

import re
from functools import lru_cache

from services.extractor.domain.words import fold

LEGAL_FORM = re.compile(
    r"(?<![a-z./])(?:gmbh(?: ?& ?co\.? ?kgaa| ?& ?co\.? ?kg| mbh)?|mbh|ag|kg|ohg|gbr|ug|kgaa|"
    r"a\.g\.|"
    r"e\. ?k\.|e\. ?v\.|eg|se|inc\.?|incorporated|corp\.?|corporation|llc|llp|ltd\.?|limited|"
    r"plc|pty|pte|"
    r"l\.?p\.|co\.(?! )|sdn\.? bhd\.?|s/b|bhd\.?|pvt\.?|private limited|"
    r"s\.?a\.?s\.?u?|s\.?a\.?r\.?l\.?|s\.?a\.?|eurl|e\.u\.r\.l\.|sci|snc|s\.?p\.?r\.?l\.?|srl|"
    r"b\.? ?v\.?|n\.? ?v\.?|v\.?o\.?f\.?|bvba|cvba|"
    r"s\.? ?r\.? ?l\.?s?|s\.? ?l\.? ?u?\.?|s\.? ?p\.? ?a\.?|s\.? ?n\.? ?c\.?|s\.? ?a\.? ?s\.?|"
    r"s\.?c\.?|coop\.?|cooperativa|"
    r"oy|oyj|sia|uab|d\.o\.o\.|lda\.?|sp\. ?k\.|ab|a/s|aps|asa|sp\. ?z ?o\. ?o\.|"
    r"s\.r\.o\.|kft\.?|zrt\.?|stiftung|verein|group|"
    r"holding|sons|gesellschaft|"
    r"part ?g|mbb|ges\.? ?m\. ?b\. ?h\.?|e\. ?u\.|scop|sasu|eirl|scrl|asbl|vzw|c\.v\.|"
    r"stichting|cooperatie|societa|ltda|s\.?c\.?p\.?|company|enterprise|trading|"
    r"kabushiki kaisha)(?![a-z])"
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
# Company or not, with one of these it is another line of the letter.
_NEVER = re.compile(
    r"invoice\b|rechnung\b|facture\b|fattura\b|factuur\b|\bpage\b|\bseite\b|www|@|"
    r"http|\biban\b|"
    r"\bbic\b|\bvat\b|\btva\b|siret|copyright|geschaftsfuhr|amtsgericht|handelsregister|\burn:|"
    r"\bgln\b|sehr geehrte|^dear |^(?:thank|danke|vielen|merci|gracias|grazie|"
    r"bedankt|please|bitte)"
)
_NOT_A_NAME = re.compile(
    r"rechnungs|pagina|\bdate\b|datum|fecha|\btel\b|telefon\b|telefoon\b|phone|\bfax\b|\btotal|"
    r"\bstreet\b|strasse|straße|\bstr\.|\broad\b|\bavenue\b|\brue\b|\bcalle\b|\bvia\b|customer|"
    r"kunde\b|betrag|amount|nummer|currency|wahrung|devise|menge|quantity|quantite|cantidad|"
    r"quantita|aantal|address|anschrift|adresse|direccion|indirizzo|description|beschreibung|"
    r"bezeichnung|designation|descripcion|descrizione|omschrijving|united|\bpayment\b|zahlung|"
    r"reglement|quotation|\bqty\b|\bprice\b|\bcashier|\bkassier|\bjalan\b|\bjln\b|\btaman\b|\blorong\b|"
    r"\bbandar\b|receipt\b|stylesheet|version|postfach|p\.?o\.? box|"
    r"^(?:herrn?|frau|mr|ms|mrs|monsieur|madame|sig|spett|to|an|von|from|original|copy|kopie|"
    r"duplicate|summary|items)[.:]?$"
)

_BETWEEN = re.compile(r"[^a-z0-9]")
_PLACE = re.compile(
    r"(?:[a-z]{1,2}[- ])?\d{4,5} .*|nederland|belgie|belgique|belgium|italia|italy|espana|"
    r"spain|france|"
    r"schweiz|suisse|svizzera|switzerland|osterreich|austria|deutschland|germany|ireland|"
    r"england|"
    r"scotland|wales|india|australia|canada|portugal|usa|u\.s\.a\.|great britain|hong kong|"
    r"singapore"
)


# Of each phrase it is asked more than once.
@lru_cache(maxsize=1024)
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
        and not _NEVER.search(folded)
        and not _PLACE.fullmatch(folded)
        and (LEGAL_FORM.search(folded) is not None or not _is_something_else(folded))
    )


def _is_something_else(folded: str) -> bool:
    return bool(_NOT_A_NAME.search(folded) or _STREET.search(folded))


def letters_of(text: str) -> str:
    return _BETWEEN.sub("", fold(text))
