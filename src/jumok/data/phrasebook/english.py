"""English word forms: regular rules with the exceptions the lexicon needs."""

from jumok.data.phrasebook.concepts import words

_PLURALS = {"child": "children", "man": "men", "woman": "women", "tomato": "tomatoes", "baby": "babies"}

# verb → past; the rest is regular
_PASTS = {
    "sleep": "slept", "run": "ran", "swim": "swam", "sing": "sang", "have": "had", "take": "took", "read": "read",
    "write": "wrote", "eat": "ate", "drink": "drank", "buy": "bought", "sell": "sold", "make": "made",
    "build": "built", "see": "saw", "draw": "drew", "lose": "lost", "break": "broke", "cut": "cut",
    "choose": "chose", "know": "knew", "meet": "met", "drive": "drove", "give": "gave", "send": "sent",
    "lend": "lent", "teach": "taught", "go": "went", "come": "came",
}  # fmt: skip
_DOUBLED = words("run swim plan cut")
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_COMPARATIVES = {
    "big": "bigger", "small": "smaller", "pretty": "prettier", "old": "older",
    "heavy": "heavier", "light": "lighter", "long": "longer", "kind": "kinder", "busy": "busier", "smart": "smarter",
}  # fmt: skip

# time expression → its words; the number of a word is its slot
TIMES: dict[str, str] = {
    "on_Monday": "on Monday", "on_Sunday": "on Sunday", "in_the_evening": "in the evening",
}  # fmt: skip
# how a place is said: (where one is, where one goes); the rest is "at the …" and "to the …"
PLACES: dict[str, tuple[str, str]] = {
    "school": ("at", "to"), "home": ("at", ""), "park": ("in the", "to the"), "kitchen": ("in the", "to the"),
    "garden": ("in the", "to the"), "village": ("in the", "to the"),
}  # fmt: skip
LOCATIONS = {"inside": "in"}


def plural(noun: str) -> str:
    """The plural: book → books, sandwich → sandwiches, child → children."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith(("ch", "sh", "s", "x")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def third_person(verb: str) -> str:
    """The present of he and she: read → reads, watch → watches, study → studies, have → has."""
    if verb == "have":
        return "has"
    if verb == "go":
        return "goes"
    return plural(verb) if verb != "see" else "sees"


def past(verb: str) -> str:
    """The simple past: walk → walked, study → studied, go → went."""
    if verb in _PASTS:
        return _PASTS[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + (verb[-1] if verb in _DOUBLED else "") + "ed"


def gerund(verb: str) -> str:
    """The -ing form: write → writing, run → running, see → seeing."""
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb) + "ing"


def comparative(adjective: str) -> tuple[str, ...]:
    """The comparative: bigger, more beautiful."""
    short = _COMPARATIVES.get(adjective)
    return (short,) if short else ("more", adjective)


def number(value: int) -> str:
    """The number as a word."""
    return _NUMBERS[value]


def be(person: int, tense: str) -> str:
    """The form of `to be` for a person numbered as in French (0 I, 1 and 4 you, 2 he, 3 we, 5 they)."""
    if tense == "past":
        return "was" if person in (0, 2) else "were"
    return ("am", "are", "is", "are", "are", "are")[person]


def article(following: str) -> str:
    """`a` or `an`, as the next word asks."""
    return "an" if following[0].lower() in "aeio" or following == "umbrella" else "a"
