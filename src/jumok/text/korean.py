"""Hangul by arithmetic: jamo of a syllable and back, and the particle that fits a word.

A syllable block of Unicode is 0xAC00 + (initial * 21 + vowel) * 28 + final, with final 0 for none; so the
last sound of a word, which decides between 은 and 는, is a remainder.
"""

from jumok.errors import TextError

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_FIRST = 0xAC00
_LAST = 0xD7A3

# After a final consonant, after a vowel.
PARTICLES = {
    "topic": ("은", "는"),
    "subject": ("이", "가"),
    "object": ("을", "를"),
    "with": ("과", "와"),
    "or": ("이나", "나"),
    "towards": ("으로", "로"),
    "copula": ("이다", "다"),
    "vocative": ("아", "야"),
}
# How a digit is read: 영 일 이 삼 사 오 육 칠 팔 구.
_DIGIT_FINALS = ("ㅇ", "ㄹ", "", "ㅁ", "", "", "ㄱ", "ㄹ", "ㄹ", "")
# How a letter is read: those whose Korean name ends in a consonant (엘, 엠, 엔, 알).
_LETTER_FINALS = {"l": "ㄹ", "m": "ㅁ", "n": "ㄴ", "r": "ㄹ"}


def is_syllable(character: str) -> bool:
    """Whether the character is a whole syllable block (가 to 힣)."""
    return len(character) == 1 and _FIRST <= ord(character) <= _LAST


def split_syllable(syllable: str) -> tuple[str, str, str]:
    """Initial, vowel and final of a syllable block; the final may be empty."""
    if not is_syllable(syllable):
        raise TextError(f"{syllable!r} is not a Hangul syllable.")
    rest, final = divmod(ord(syllable) - _FIRST, len(FINALS))
    initial, vowel = divmod(rest, len(VOWELS))
    return INITIALS[initial], VOWELS[vowel], FINALS[final]


def join_syllable(initial: str, vowel: str, final: str = "") -> str:
    """The syllable block of three jamo."""
    try:
        place = INITIALS.index(initial) * len(VOWELS) + VOWELS.index(vowel)
        code = _FIRST + place * len(FINALS) + FINALS.index(final)
    except ValueError as error:
        raise TextError(f"{initial!r}, {vowel!r} and {final!r} do not form a Hangul syllable.") from error
    if not initial or not vowel:
        raise TextError("a Hangul syllable needs an initial and a vowel.")
    return chr(code)


def to_jamo(text: str) -> str:
    """The text with every syllable block written out in jamo letters (한글 → ㅎㅏㄴㄱㅡㄹ); the rest stays."""
    return "".join("".join(split_syllable(c)) if is_syllable(c) else c for c in text)


def final_sound(word: str) -> str | None:
    """The final consonant with which the word is read, empty after a vowel, None where that cannot be known.

    Hangul by its jamo, a number by its last digit, a capital abbreviation or single letter by the letter's
    name. Closing brackets and marks at the end are looked through.
    """
    for character in reversed(word):
        if is_syllable(character):
            return split_syllable(character)[2]
        if character in VOWELS:
            return ""
        if character in INITIALS or character in FINALS[1:]:
            return character
        if character.isdecimal() and character.isascii():
            return _DIGIT_FINALS[int(character)]
        if character.isascii() and character.isalpha():
            return _LETTER_FINALS.get(character.lower(), "") if word.isupper() or len(word) == 1 else None
        if character.isalnum():
            return None
    return None


def particle(word: str, kind: str) -> str:
    """The form of the particle that fits the word: 은 after 집, 는 after 나무; 로 after 길, because ㄹ is no stop to
    it.

    Where the last sound cannot be known, both forms are written as Korean writers do: 을(를).
    """
    if kind not in PARTICLES:
        raise TextError(f"there is no particle {kind!r}; use one of {', '.join(PARTICLES)}.")
    after_consonant, after_vowel = PARTICLES[kind]
    final = final_sound(word)
    if final is None:
        return f"{after_consonant}({after_vowel})"
    if kind == "towards" and final == "ㄹ":
        return after_vowel
    return after_consonant if final else after_vowel


def with_particle(word: str, kind: str) -> str:
    """The word and its particle: 정원을, 나무를."""
    return word + particle(word, kind)
