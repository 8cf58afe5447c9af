"""How long an output should be in words, as it is written by a user; `word_limits.py` enforces it. No torch here."""

import math
import re
from dataclasses import dataclass

from jumok.errors import InputError

_BOUND = r"(\d+(?:\.\d+)?)(%?)"
_WRITTEN = re.compile(rf"(?:{_BOUND})?(\.\.)?(?:{_BOUND})?")
MOST_WORDS = 100_000


@dataclass(frozen=True)
class Length:
    """From `least` to `most` words, or that share of the source's words where `ratio` is set."""

    least: float = 0.0
    most: float | None = None
    ratio: bool = False

    def __post_init__(self) -> None:
        high = MOST_WORDS if self.most is None else self.most
        if high > MOST_WORDS or self.least > MOST_WORDS:
            raise InputError(f"a length of more than {MOST_WORDS} words is not possible; name fewer.")
        if not 0 <= self.least <= high <= MOST_WORDS or high <= 0:
            raise InputError(
                f"a length from {self.least:g} to {high:g} is not possible; name at least 1 word and the smaller first."
            )

    @classmethod
    def parse(cls, written: str) -> "Length":
        """`12` or `10%` exactly, `5..12`, `..12`, `5..`, `5%..20%`; per cent are of the words of the source."""
        found = _WRITTEN.fullmatch(written.strip())
        low, low_ratio, dots, high, high_ratio = found.groups() if found else (None,) * 5
        if not (low or high) or (high and not dots) or (low and high and low_ratio != high_ratio):
            raise InputError(
                f"the length '{written}' is not understood; write words (12, 5..12, ..12) or a share of the text's "
                "words (10%, 5%..20%)."
            )
        ratio = bool(low_ratio or high_ratio)
        if not ratio and "." in f"{low}{high}":
            raise InputError(f"the length '{written}' has a part of a word; name whole words, or a share such as 10%.")
        scale = 100.0 if ratio else 1.0
        least = float(low) / scale if low else 0.0
        most = float(high) / scale if high else (None if dots else least)
        return cls(least, most, ratio)

    def bounds(self, source_words: int) -> tuple[int, int]:
        """The fewest and the most words for a source; a share is never rounded to nothing."""
        unit = source_words if self.ratio else 1
        exact = self.least == self.most
        most = MOST_WORDS if self.most is None else max(1, int(self.most * unit + (0.5 if exact else 1e-9)))
        least = most if exact else min(most, math.ceil(self.least * unit - 1e-9))
        return least, most
