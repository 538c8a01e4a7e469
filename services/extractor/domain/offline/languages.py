"""Which language a document speaks: words that only one of the six uses, counted."""

import re
from collections import Counter
from collections.abc import Iterable

_WORDS = {
    "en": (
        "invoice the and of to for amount date total due payment number please terms "
        "bill vat quantity description price subtotal address thank you your with from "
        "balance"
    ),
    "de": (
        "rechnung und der die das von fur mit bis zum ist wir sie betrag datum menge "
        "steuer gesamt netto brutto nummer kunde zahlung mwst ust strasse preis ihre "
        "bitte zzgl"
    ),
    "fr": (
        "facture et le les des du pour avec montant tva ht ttc numero adresse reglement "
        "prix quantite designation echeance vous client paiement societe date net votre "
        "nous"
    ),
    "es": (
        "factura y el los las del para con importe iva fecha numero direccion forma "
        "pago precio cantidad descripcion vencimiento cliente base cuota total su por"
    ),
    "it": (
        "fattura e il gli della di per con importo iva data numero indirizzo pagamento "
        "prezzo quantita descrizione scadenza cliente imponibile totale partita via "
        "aliquota"
    ),
    "nl": (
        "factuur en het een van voor met bedrag btw datum nummer adres betaling prijs "
        "aantal omschrijving vervaldatum klant totaal uw rekening wij artikel per "
        "exclusief inclusief"
    ),
}
_OF = {
    word: [language for language, words in _WORDS.items() if word in words.split()]
    for words in _WORDS.values()
    for word in words.split()
}
_WORD = re.compile(r"[^\W\d_]+")
_VOTES_MIN = 3


def language_of(texts: Iterable[str]) -> str | None:
    votes: Counter[str] = Counter()
    for text in texts:
        for word in _WORD.findall(text):
            for language in _OF.get(word, ()):
                votes[language] += 6 // len(_OF[word])
    if not votes:
        return None
    language, most = votes.most_common(1)[0]
    return language if most >= 6 * _VOTES_MIN else None
