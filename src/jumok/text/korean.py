"""Hangul by arithmetic: jamo of a syllable and back, and the particle that fits a word.

A syllable block of Unicode is 0xAC00 + (initial * 21 + vowel) * 28 + final, with final 0 for none; so the
last sound of a word, which decides between 은 and 는, is a remainder.
"""

import re

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
# How a letter is read: those whose Korean name ends in a consonant (엘, 엠, 엔, 알; 엡실론, 오미크론, 입실론).
_LETTER_FINALS = {"l": "ㄹ", "m": "ㅁ", "n": "ㄴ", "r": "ㄹ", "ε": "ㄴ", "ο": "ㄴ", "υ": "ㄴ"}
# How a word in Latin letters ends when it is read in Korean, the first that fits. Any other ending gets a vowel
# (마스크).
_WORD_FINALS = (
    (r"ng$", "ㅇ"),  # 트레이닝
    (r"le?$", "ㄹ"),  # 모델, 파일
    (r"me?$", "ㅁ"),  # 빔, 네임
    (r"ne?$", "ㄴ"),  # 토큰, 라인
    # A stop after one vowel closes the syllable (맵, 블록, 닷, 북, 아웃); particles do not mind which one.
    (r"(?:^|[^aeiou])[aeiou](?:ck|[ckpt])$|oo[kt]$|out$", "ㅅ"),
)
# How a template writes both forms of a particle: `{path}은(는)`.
BOTH_FORMS = {
    "은(는)": "topic", "이(가)": "subject", "을(를)": "object", "과(와)": "with", "(이)나": "or", "(으)로": "towards",
}  # fmt: skip
_BOTH = re.compile("|".join(map(re.escape, BOTH_FORMS)))


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


def final_sound(word: str) -> str:
    """The final consonant with which the word is read; empty after a vowel, and where nothing can be read.

    Hangul by its jamo, a number by its last digit, a letter or an abbreviation by the letter's name, another word in
    Latin letters about as Korean speakers read it. Marks at the end are looked through, and so is a remark in brackets:
    the particle belongs to the word before it.
    """
    said = re.sub(r"(?<=\w)\s?\([^()]*\)\W*$", "", word)
    for place in range(len(said) - 1, -1, -1):
        character = said[place]
        if is_syllable(character):
            return split_syllable(character)[2]
        if character in VOWELS or character == "%":  # 퍼센트
            return ""
        if character in INITIALS or character in FINALS[1:]:
            return character
        if character.isdecimal() and character.isascii():
            return _DIGIT_FINALS[int(character)]
        if character.isascii() and character.isalpha():
            return _latin_final(re.findall("[A-Za-z]+", said[: place + 1])[-1])
        if character.isalnum():
            return _LETTER_FINALS.get(character.lower(), "")
    return ""


def _latin_final(word: str) -> str:
    """The final consonant of a word in Latin letters; one without a vowel is read letter by letter (피엔지)."""
    small = word.lower()
    if word.isupper() or not re.search("[aeiouy]", small):
        return _LETTER_FINALS.get(small[-1], "")
    return next((final for ending, final in _WORD_FINALS if re.search(ending, small)), "")


def particle(word: str, kind: str) -> str:
    """The form of the particle that fits the word: 은 after 집, 는 after 나무; 로 after 길, because ㄹ is no stop to
    it.
    """
    if kind not in PARTICLES:
        raise TextError(f"there is no particle {kind!r}; use one of {', '.join(PARTICLES)}.")
    after_consonant, after_vowel = PARTICLES[kind]
    final = final_sound(word)
    if kind == "towards" and final == "ㄹ":
        return after_vowel
    return after_consonant if final else after_vowel


def fit_particles(template: str, **blanks: str) -> str:
    """The template with its blanks filled; where it writes both forms, `{path}은(는)`, the one that fits what precedes.

    What fills a blank is not touched, whatever it contains.
    """
    out = ""
    for text, name in re.findall(r"([^{]*)(?:\{(\w+)\})?", template):
        start = 0
        for both in _BOTH.finditer(text):
            out += text[start : both.start()]
            out, start = out + particle(out, BOTH_FORMS[both[0]]), both.end()
        out += text[start:] + (blanks[name] if name else "")
    return out
