"""The lexicon joined: one object a concept, with its forms in every language."""

from typing import NamedTuple

from jumok.data.phrasebook import concepts, english, french, french_words, korean, korean_words

Phrase = tuple[tuple[str, tuple[int, ...]], ...]  # words, each with the slots it links through


class Noun(NamedTuple):
    """A noun, name or pronoun. `article` is what it takes as a plain object; `counter` counts it in Korean."""

    key: str
    kind: str
    article: str
    english: tuple[str, ...]
    english_plural: tuple[str, ...]
    korean: str
    counter: str
    respected: bool
    french: tuple[str, ...]
    french_plural: tuple[str, ...]
    feminine: bool


class Verb(NamedTuple):
    """A verb with its frame, its possible objects and its forms."""

    key: str
    frame: str
    objects: tuple[Noun, ...]
    others: tuple[Noun, ...]  # the objects without the pronouns
    english: str
    english_rest: tuple[str, ...]  # "look for", "have lunch", "take a walk"
    third_person: str
    past: str
    gerund: str
    before: str  # a Korean noun that belongs to the verb: 춤을 추다
    stem: korean.Stem
    by_object: dict[str, korean.Stem]  # object → what Korean says of it instead: 수프를 끓이다
    respectful: korean.Stem | None  # the honorific where it is another word: 주무시다
    humble: korean.Stem | None  # 드리다, 뵙다, when the receiver or object is respected
    french: str
    reflexive: bool
    preposition: str
    with_etre: bool


class Adjective(NamedTuple):
    """An adjective; `stem` is None when it only stands before nouns in Korean (새)."""

    key: str
    before: str  # a Korean noun that belongs to it: 시간이 있다
    stem: korean.Stem | None
    korean: str
    french: str
    before_noun: bool
    comparative: tuple[str, ...]


class Expression(NamedTuple):
    """A time or an adverb as words in each language; the slots are the English words' numbers."""

    key: str
    english: Phrase
    korean: Phrase
    french: Phrase


def _noun(key: str, kind: str) -> Noun:
    word = tuple(key.split("_"))
    said, _, counter = korean_words.NOUNS[key].partition("/")
    *in_french, gender = french_words.NOUNS[key].split()
    default = "명" if kind in ("worker", "kin") else "개"
    return Noun(
        key=key,
        kind=kind,
        article=concepts.ARTICLES[kind],
        english=word,
        english_plural=(*word[:-1], english.plural(word[-1])),
        korean=said,
        counter=counter or default,
        respected=key in korean_words.RESPECTED,
        french=tuple(in_french),
        french_plural=tuple(french.plural(part) for part in in_french),
        feminine=gender == "f",
    )


def _pronoun(key: str) -> Noun:
    return Noun(key, "pronoun", "none", (key,), (key,), "", "명", False, (key,), (key,), False)


NOUNS: dict[str, Noun] = {key: _noun(key, kind) for kind, keys in concepts.NOUNS.items() for key in keys.split()}
CLASSES: dict[str, tuple[Noun, ...]] = {
    kind: tuple(NOUNS[key] for key in keys.split()) for kind, keys in concepts.NOUNS.items()
}
I, WE, YOU = _pronoun("I"), _pronoun("we"), _pronoun("you")
WHO, WHAT = _pronoun("who"), _pronoun("what")
HE, SHE = _pronoun("he"), _pronoun("she")._replace(feminine=True)
SIR, MADAM = _pronoun("Sir"), _pronoun("Madam")._replace(feminine=True)
CLASSES["pronoun"] = (I, WE)  # those that may be objects


def expand(names: str) -> tuple[Noun, ...]:
    """The nouns of a list of classes and single nouns."""
    found: dict[str, Noun] = {}
    for name in names.split():
        for noun in CLASSES.get(name) or (NOUNS[name],):
            found[noun.key] = noun
    return tuple(found.values())


def korean_stem(entry: str, action: bool = True) -> tuple[str, korean.Stem]:
    """(words before, stem) of a dictionary form such as `춤을 추다`, `돕다:ㅂ` or, with an auxiliary, `보여_주다`."""
    citation, _, kind = entry.partition(":")
    *before, word = citation.split()
    text = word.removesuffix("다").replace("_", " ")
    if not kind and text.endswith("하"):
        kind = "하"
    return " ".join(before), korean.Stem(text, kind, action, text.endswith("있"))


def _verb(key: str, frame: str, objects: str) -> Verb:
    head, *rest = key.split("_")
    before, stem = korean_stem(korean_words.VERBS[key])
    special = korean_words.RESPECTFUL_VERBS.get(key)
    humble = korean_words.HUMBLE_VERBS.get(key)
    words = french_words.VERBS[key].split()
    is_reflexive = words[0] == "se"
    infinitive = words[1] if is_reflexive else words[0]
    plain = key in korean_words.UNRESPECTED
    found = tuple(noun for noun in expand(objects) if not (plain and noun.respected))
    return Verb(
        key=key,
        frame=frame,
        objects=found,
        others=tuple(noun for noun in found if noun.kind != "pronoun"),
        english=head,
        english_rest=tuple(rest),
        third_person=english.third_person(head),
        past=english.past(head),
        gerund=english.gerund(head),
        before=before,
        stem=stem,
        by_object={thing: korean_stem(said)[1] for thing, said in korean_words.BY_OBJECT.get(key, {}).items()},
        respectful=korean.Stem(special, "시") if special else None,
        humble=korean_stem(humble)[1] if humble else None,
        french=infinitive,
        reflexive=is_reflexive,
        preposition=words[1] if len(words) > 1 and not is_reflexive else "",
        with_etre=is_reflexive or infinitive in french_words.WITH_ETRE,
    )


VERBS: dict[str, Verb] = {key: _verb(key, *entry) for key, entry in concepts.VERBS.items()}


def _adjective(key: str) -> Adjective:
    entry = korean_words.ADJECTIVES[key]
    before, stem = korean_stem(entry, action=False) if entry.partition(":")[0].endswith("다") else ("", None)
    masculine, _, mark = french_words.ADJECTIVES[key].partition(" ")
    said = korean.modifier(stem, "present") if stem else entry
    return Adjective(key, before, stem, said, masculine, mark == "+", english.comparative(key))


ADJECTIVES: dict[str, Adjective] = {key: _adjective(key) for key in concepts.ADJECTIVES}


def _phrase(text: str) -> Phrase:
    parts = (word.partition(":") for word in text.split())
    return tuple((word, tuple(int(digit) for digit in slots)) for word, _, slots in parts)


def _expression(key: str, in_korean: str, in_french: str) -> Expression:
    words = key.split("_")
    in_english = tuple((word, (slot,)) for slot, word in enumerate(words))
    return Expression(key, in_english, _phrase(in_korean), _phrase(in_french))


TIMES: dict[str, Expression] = {
    key: _expression(key, korean_words.TIMES[key], french_words.TIMES[key]) for key in concepts.TIMES
}
ADVERBS: dict[str, Expression] = {
    key: _expression(key, korean_words.ADVERBS[key] + ":0", french_words.ADVERBS[key] + ":0")
    for key in (*concepts.FREQUENCIES, *concepts.MANNERS_OF, "very")
}


def described_by(noun: Noun, attribute: bool) -> tuple[Adjective, ...]:
    """The adjectives that fit a noun, before it (attribute) or as what is said of it."""
    barred = concepts.PREDICATE_ONLY if attribute else concepts.ATTRIBUTE_ONLY
    return tuple(
        ADJECTIVES[key] for key, names in concepts.ADJECTIVES.items() if key not in barred and noun in _EXPANDED[key]
    )


_EXPANDED = {key: frozenset(expand(names)) for key, names in concepts.ADJECTIVES.items()}
ATTRIBUTES: dict[str, tuple[Adjective, ...]] = {key: described_by(noun, True) for key, noun in NOUNS.items()}
PREDICATES: dict[str, tuple[Adjective, ...]] = {key: described_by(noun, False) for key, noun in NOUNS.items()}
