"""Korean word forms: particles chosen by the final consonant, and verb endings with the irregular classes.

A Hangul syllable is 0xAC00 + (initial · 21 + vowel) · 28 + final, so both are arithmetic on code points.
"""

from functools import cache
from typing import NamedTuple

_BASE = 0xAC00
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"


def split(syllable: str) -> tuple[int, str, str]:
    """The initial's number, the vowel and the final consonant (" " when there is none) of one Hangul syllable."""
    code = ord(syllable) - _BASE
    return code // 588, _VOWELS[code // 28 % 21], _FINALS[code % 28]


def join(initial: int, vowel: str, final: str = " ") -> str:
    """One Hangul syllable."""
    return chr(_BASE + (initial * 21 + _VOWELS.index(vowel)) * 28 + _FINALS.index(final))


def final(word: str) -> str:
    """The final consonant of a word's last syllable, " " when it ends in a vowel."""
    return split(word[-1])[2]


def with_final(word: str, consonant: str) -> str:
    """The word with another final consonant under its last syllable (" " takes it away)."""
    initial, vowel, _ = split(word[-1])
    return word[:-1] + join(initial, vowel, consonant)


# particle → (after a consonant, after a vowel)
PARTICLES: dict[str, tuple[str, str]] = {
    "topic": ("은", "는"),
    "subject": ("이", "가"),
    "object": ("을", "를"),
    "and": ("과", "와"),
    "by": ("으로", "로"),
    "calling": ("아", "야"),
    "to": ("에게", "에게"),
    "at": ("에", "에"),
    "in": ("에서", "에서"),
    "of": ("의", "의"),
    "than": ("보다", "보다"),
    "none": ("", ""),
}


@cache
def particle(word: str, name: str) -> str:
    """The word with the named particle in the form its last sound asks for: 책은, 사과는; ㄹ takes 로, not 으로."""
    after_consonant, after_vowel = PARTICLES[name]
    last = final(word)
    if last == " " or (name == "by" and last == "ㄹ"):
        return word + after_vowel
    return word + after_consonant


class Stem(NamedTuple):
    """A verb without its 다, and how it is conjugated: "" regular, ㅂ ㄷ ㅅ ㅎ 르 뵙 irregular, 하, 시 (honorific).

    The text of a verb with its auxiliary has a space (보여 주).
    """

    text: str
    kind: str = ""
    action: bool = True  # False: an adjective, which has no -는
    present: bool = False  # 있다 and 없다: adjectives that do take -는


def infinitive(stem: Stem) -> str:
    """The -아/어 form: 오 → 와, 읽 → 읽어, 돕 → 도와, 듣 → 들어, 부르 → 불러, 빨갛 → 빨개, 하 → 해, 뵙 → 봬."""
    text, kind = stem.text, stem.kind
    initial, vowel, last = split(text[-1])
    if kind == "하":
        return text[:-1] + "해"
    if kind == "ㅂ":
        return with_final(text, " ") + ("와" if text == "돕" else "워")
    if kind == "ㄷ":
        return with_final(text, "ㄹ") + _harmony(vowel)
    if kind == "ㅅ":
        return with_final(text, " ") + _harmony(vowel)
    if kind == "르":
        before = text[:-1]
        return with_final(before, "ㄹ") + ("라" if split(before[-1])[1] in "ㅏㅗ" else "러")
    if kind == "ㅎ":
        return text[:-1] + join(initial, {"ㅏ": "ㅐ", "ㅑ": "ㅒ"}[vowel])
    if kind == "뵙":
        return "봬"
    if last != " ":
        return text + _harmony(vowel)
    return _contract(text, initial, vowel)


def _harmony(vowel: str) -> str:
    return "아" if vowel in "ㅏㅑㅗ" else "어"


def _contract(text: str, initial: int, vowel: str) -> str:
    if vowel in "ㅏㅐㅓㅔㅕ":
        return text
    if vowel == "ㅡ":
        bright = len(text) > 1 and split(text[-2])[1] in "ㅏㅑㅗ"
        return text[:-1] + join(initial, "ㅏ" if bright else "ㅓ")
    merged = {"ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ"}.get(vowel)
    return text[:-1] + join(initial, merged) if merged else text + "어"


def past(stem: Stem) -> str:
    """The past stem: 읽 → 읽었, 가 → 갔, 하 → 했."""
    return with_final(infinitive(stem), "ㅆ")


def open_stem(stem: Stem) -> str:
    """The stem as -(으) endings meet it: 읽으, 가, 도우, 들으, 지으, 빨가; ㄹ stems stay (살)."""
    text = stem.text
    if stem.kind == "ㅂ":
        return with_final(text, " ") + "우"
    if stem.kind == "ㄷ":
        return with_final(text, "ㄹ") + "으"
    if stem.kind == "ㅅ":
        return with_final(text, " ") + "으"
    if stem.kind in ("ㅎ", "뵙"):
        return with_final(text, " ")
    return text if final(text) in " ㄹ" else text + "으"


def without_l(text: str) -> str:
    """ㄹ falls before ㄴ, ㅂ and ㅅ: 살 → 사."""
    return with_final(text, " ") if final(text) == "ㄹ" else text


def honorific(stem: Stem) -> Stem:
    """The -(으)시- stem: 읽으시, 가시, 사시."""
    opened = open_stem(stem)
    if stem.kind not in ("ㄷ",):
        opened = without_l(opened)
    return Stem(opened + "시", "시", stem.action, stem.present)


def modifier(stem: Stem, tense: str) -> str:
    """The form before a noun: 읽는 (present), 읽은 (past), 읽을 (future); adjectives 큰, 빨간, 맛있는."""
    opened = open_stem(stem)
    if tense == "future":
        return opened if final(opened) == "ㄹ" else with_final(opened, "ㄹ")
    if tense == "present" and (stem.action or stem.present):
        return without_l(stem.text) + "는"
    return with_final(opened, "ㄴ")


def will(stem: Stem) -> str:
    """The -(으)ㄹ form: 읽을, 갈, 살, 도울."""
    return modifier(stem, "future")


def if_form(stem: Stem) -> str:
    """The -(으)면 form: 읽으면, 가면, 살면."""
    return open_stem(stem) + "면"


def purpose(stem: Stem) -> str:
    """The -(으)러 form: 읽으러, 사러, 만들러."""
    return open_stem(stem) + "러"


def formal(stem: Stem) -> str:
    """The stem with -ㅂ니/습니-, before 다 or 까."""
    short = without_l(stem.text)
    return with_final(short, "ㅂ") + "니" if final(short) == " " else short + "습니"


def finish(stem: Stem, tense: str, level: str, question: bool = False) -> tuple[str, ...]:
    """The words of the sentence's last verb, in one of three levels: polite 해요, formal 합니다, casual 해."""
    if tense == "future":
        last = {"polite": "거예요", "formal": "겁니까" if question else "겁니다", "casual": "거야"}[level]
        return will(stem), last
    if level == "formal":
        body = past(stem) + "습니" if tense == "past" else formal(stem)
        return (body + ("까" if question else "다"),)
    if tense == "past":
        return (past(stem) + ("어요" if level == "polite" else "어"),)
    if stem.kind == "시":
        return (stem.text[:-1] + "세요" if level == "polite" else stem.text[:-1] + "셔",)
    return (infinitive(stem) + ("요" if level == "polite" else ""),)


def finish_noun(noun: str, tense: str, level: str, respected: bool, question: bool = False) -> str:
    """A noun as predicate: 의사예요, 학생이에요, 선생님이세요, 의사였습니다, 학생이야."""
    closed = final(noun) != " "
    if respected:
        stem = Stem(noun + ("이시" if closed else "시"), "시")
        return finish(stem, tense, level, question)[0]
    if level == "formal":
        was = ("이었습니" if closed else "였습니") if tense == "past" else "입니"
        return noun + was + ("까" if question else "다")
    if tense == "past":
        return noun + ("이었어" if closed else "였어") + ("요" if level == "polite" else "")
    if level == "polite":
        return noun + ("이에요" if closed else "예요")
    return noun + ("이야" if closed else "야")
