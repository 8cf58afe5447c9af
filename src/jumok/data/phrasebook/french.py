"""French word forms: verbs, agreement, and the joints between words (elision, contraction).

Persons are numbered 0 je, 1 tu, 2 il, 3 nous, 4 vous, 5 ils.
"""

from collections.abc import Iterable
from functools import cache

from jumok.data.phrasebook import french_words

_VOWELS = frozenset("aeiouyhâàéèêëîïôûœ")
_REFLEXIVES = ("me", "te", "se", "nous", "vous", "se")
_IMPARFAIT = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTUR = ("ai", "as", "a", "ons", "ez", "ont")

Token = tuple[str, tuple[int, ...]]


def _first_group(infinitive: str) -> tuple[list[str], str]:
    """Present and future stem of a regular -er verb, with its spelling changes (nous mangeons, il achète)."""
    stem = infinitive[:-2]
    strong = french_words.STRONG_STEMS.get(infinitive, stem)
    we = stem + "e" if stem.endswith("g") else stem[:-1] + "ç" if stem.endswith("c") else stem
    present = [strong + "e", strong + "es", strong + "e", we + "ons", stem + "ez", strong + "ent"]
    future = infinitive if strong == stem else strong + "er"
    return present, french_words.FUTURE_STEMS.get(infinitive, future)


@cache
def _paradigm(infinitive: str) -> tuple[tuple[str, ...], str, str]:
    """(six present forms, future stem, past participle)."""
    row = french_words.CONJUGATION.get(infinitive)
    if row is None:
        present, future = _first_group(infinitive)
        return tuple(present), future, infinitive[:-2] + "é"
    present, future, participle = row.split("|")
    return tuple(present.split()), future, participle


@cache
def conjugate(infinitive: str, person: int, tense: str) -> str:
    """The finite form in the présent, imparfait, futur or impératif."""
    present, future, _ = _paradigm(infinitive)
    if tense == "future":
        return future + _FUTUR[person]
    if tense == "imparfait":
        stem = "ét" if infinitive == "être" else present[3].removesuffix("ons")
        if stem.endswith("ge") and person in (3, 4):
            stem = stem[:-1]
        return stem + _IMPARFAIT[person]
    if tense == "imperative" and person == 1 and present[1].endswith("es"):
        return present[1][:-1]
    return present[person]


@cache
def participle(infinitive: str, feminine: bool = False, plural: bool = False) -> str:
    """The past participle, agreeing: allé, allée, allés, allées; mis stays mis in the plural."""
    form = _paradigm(infinitive)[2] + ("e" if feminine else "")
    return form + "s" if plural and not form.endswith("s") else form


def reflexive(person: int) -> str:
    """The pronoun of a reflexive verb."""
    return _REFLEXIVES[person]


@cache
def plural(word: str) -> str:
    """The plural of a noun or adjective: livres, gâteaux, chevaux, fils."""
    if word in french_words.PLURALS:
        return french_words.PLURALS[word]
    if word[-1] in "sxz":
        return word
    if word.endswith(("eau", "eu")):
        return word + "x"
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + "s"


@cache
def agree(adjective: str, feminine: bool, many: bool) -> str:
    """The adjective in the gender and number asked for: grand, grande, grands, grandes."""
    form = adjective
    if feminine:
        form = french_words.FEMININES.get(adjective) or (adjective if adjective.endswith("e") else adjective + "e")
    return plural(form) if many else form


def starts_with_vowel(word: str) -> bool:
    """Whether elision happens before the word (h counts as mute: the lexicon has no other)."""
    return word[0].lower() in _VOWELS


_ELIDED = {"le": "l'", "la": "l'", "je": "j'", "ne": "n'", "de": "d'", "que": "qu'", "me": "m'", "te": "t'", "se": "s'"}
_CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
_BEFORE_VOWEL = {
    "ce": "cet",
    "ma": "mon",
    "sa": "son",
    "ta": "ton",
    "beau+": "bel",
    "nouveau+": "nouvel",
    "vieux+": "vieil",
}


def joints(tokens: Iterable[Token]) -> list[Token]:
    """The words as they are written: l'ami, du pain, s'il, cet homme, mon école; a joined word keeps all its links.

    A `+` at a word's end marks an adjective before its noun (beau+ homme → bel homme).
    """
    out: list[Token] = []
    ahead: Token | None = None  # the word right of the one looked at, already in its written form
    bare = ""  # that word as given: du comes of de + le only while le is not elided
    for word, ids in reversed(list(tokens)):
        before_vowel = ahead is not None and starts_with_vowel(ahead[0])
        if ahead is not None and ahead[0] == bare and (word, bare) in _CONTRACTED:
            out[-1] = (_CONTRACTED[word, bare], _both(ids, ahead[1]))
        elif ahead is not None and _is_elided(word, ahead[0], before_vowel):
            short = "s'" if word == "si" else _ELIDED[word]
            out[-1] = (short + ahead[0], _both(ids, ahead[1]))
        else:
            form = _BEFORE_VOWEL.get(word, word) if before_vowel else word
            out.append((form.removesuffix("+"), ids))
        ahead = out[-1]
        bare = word
    out.reverse()
    return out


def _both(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(first + second))


def _is_elided(word: str, following: str, before_vowel: bool) -> bool:
    if word == "si":
        return following in ("il", "ils") or following.startswith("il ")
    return before_vowel and word in _ELIDED
