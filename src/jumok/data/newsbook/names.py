"""Invented names and numbers; a hash decides which split each belongs to, so that none is met in two of them."""

from collections.abc import Callable
from hashlib import blake2b
from random import Random

_STARTS = [
    "Ba",
    "Bre",
    "Cor",
    "Da",
    "Dro",
    "El",
    "Fa",
    "Fen",
    "Gal",
    "Gri",
    "Hal",
    "Ist",
    "Jor",
    "Kar",
    "Kel",
    "Lun",
    "Mar",
    "Mor",
    "Nal",
    "Ost",
    "Per",
    "Qua",
    "Rho",
    "Sal",
    "Tav",
    "Tor",
    "Ul",
    "Ves",
    "Wil",
    "Yar",
    "Zen",
    "Zul",
]
_MIDDLES = [
    "a",
    "ba",
    "da",
    "de",
    "ka",
    "ke",
    "la",
    "li",
    "lo",
    "ma",
    "mi",
    "na",
    "ne",
    "no",
    "ra",
    "ri",
    "ro",
    "sa",
    "ta",
    "ti",
    "va",
    "ve",
]
_ENDS = [
    "bek",
    "del",
    "dor",
    "fin",
    "gar",
    "kin",
    "lan",
    "len",
    "mar",
    "nor",
    "rik",
    "sel",
    "sk",
    "tan",
    "thal",
    "tin",
    "ven",
    "vik",
    "wen",
    "zin",
]
_FAMILY = [
    "강",
    "고",
    "구",
    "나",
    "노",
    "도",
    "류",
    "마",
    "모",
    "문",
    "반",
    "배",
    "변",
    "서",
    "선",
    "송",
    "신",
    "안",
    "여",
    "오",
    "우",
    "원",
    "유",
    "윤",
    "은",
    "임",
    "장",
    "전",
    "정",
    "조",
    "주",
    "지",
    "진",
    "차",
    "채",
    "최",
    "추",
    "탁",
    "하",
    "한",
    "허",
    "홍",
    "황",
]
_SYLLABLES = [
    "가",
    "건",
    "경",
    "규",
    "나",
    "누",
    "다",
    "단",
    "담",
    "도",
    "라",
    "람",
    "로",
    "리",
    "마",
    "무",
    "미",
    "민",
    "별",
    "빈",
    "보",
    "새",
    "서",
    "선",
    "솔",
    "수",
    "슬",
    "아",
    "안",
    "연",
    "온",
    "우",
    "운",
    "윤",
    "은",
    "이",
    "인",
    "재",
    "준",
    "지",
    "진",
    "찬",
    "채",
    "초",
    "태",
    "하",
    "한",
    "해",
    "현",
    "혜",
    "호",
    "환",
    "희",
]
_TOWN_ENDS = {
    "en": ["burg", "by", "field", "ford", "gate", "holm", "mere", "port", "stead", "ton", "wick", "worth"],
    "ko": ["골", "내", "나루", "들", "말", "매", "벌", "뫼", "섬", "실", "여울", "재"],
}


def split_of(word: str) -> str:
    """The split that a name or number belongs to: one in ten is a dev and one in ten a test word."""
    digest = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
    return ("test", "dev", "train")[min(digest % 10, 2)]


class Names:
    """Draws names and numbers of one split and language."""

    def __init__(self, random: Random, language: str, split: str) -> None:
        self.random, self.language, self.split = random, language, split

    def person(self) -> str:
        """A family name, in Korean a whole name."""
        return self._own(self._korean_person if self.language == "ko" else self._english_word)

    def first(self) -> str:
        """A first name, for English."""
        return self._own(self._english_word)

    def place(self) -> str:
        """A town."""
        return self._own(self._town)

    def number(self) -> str:
        """A number of three to five digits, with a comma where it has more than three."""
        return self._own(lambda: f"{self.random.randrange(101, 99_999):,}")

    def _own(self, draw: Callable[[], str]) -> str:
        while True:
            word = draw()
            if split_of(word) == self.split:
                return word

    def _english_word(self) -> str:
        middle = "".join(self.random.choice(_MIDDLES) for _ in range(self.random.randrange(1, 3)))
        return self.random.choice(_STARTS) + middle + self.random.choice(_ENDS)

    def _korean_person(self) -> str:
        return self.random.choice(_FAMILY) + "".join(self.random.choice(_SYLLABLES) for _ in range(2))

    def _town(self) -> str:
        end = self.random.choice(_TOWN_ENDS[self.language])
        if self.language == "ko":
            return "".join(self.random.choice(_SYLLABLES) for _ in range(2)) + end
        return self.random.choice(_STARTS) + self.random.choice(_MIDDLES) + end
