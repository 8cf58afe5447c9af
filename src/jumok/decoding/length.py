"""How long an output may be in words: limits that every finished hypothesis keeps, whatever its tokens are."""

import math
import re
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.decoding.words import Surfaces
from jumok.errors import InputError
from jumok.shapes import EOS, SPECIAL_TOKENS, UNK

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


@dataclass(frozen=True)
class WordState:
    """What is known of the words of each row."""

    words_N: Tensor
    """Words begun."""
    inside_N: Tensor
    """Whether the last character belongs to a word."""

    def select(self, index_N: Tensor) -> "WordState":
        """The rows named by `index_N`."""
        return WordState(self.words_N[index_N], self.inside_N[index_N])


class WordLimits:
    """Keeps each sentence's words within bounds, over any vocabulary: a space in what a token writes parts words."""

    def __init__(self, vocabulary: Surfaces, least_B: Tensor, most_B: Tensor) -> None:
        self.least_B, self.most_B = least_B, most_B
        device = least_B.device
        surfaces = [_shown(number, text, vocabulary.first_entry) for number, text in enumerate(vocabulary.surfaces)]
        self.runs_V = torch.tensor([len(text.split()) for text in surfaces], device=device)
        self.joins_V = torch.tensor([bool(text) and not text[0].isspace() for text in surfaces], device=device)
        self.ends_V = torch.tensor([bool(text) and not text[-1].isspace() for text in surfaces], device=device)
        self.writes_V = torch.tensor([bool(text) for text in surfaces], device=device)
        # Where spaces are tokens of their own, a further word takes two.
        begins_V = (self.runs_V > 0) & ~self.joins_V
        self.tokens_per_word = 1 if bool(begins_V[len(SPECIAL_TOKENS) :].any()) else 2

    def start(self) -> WordState:
        """Before the first word."""
        return WordState(torch.zeros_like(self.least_B), torch.zeros_like(self.least_B, dtype=torch.bool))

    def advance(self, state: WordState, parent_N: Tensor, token_N: Tensor) -> WordState:
        """The state of rows that grew from `parent_N` by `token_N`."""
        before = state.select(parent_N)
        begun_N = self.runs_V[token_N] - (before.inside_N & self.joins_V[token_N]).long()
        inside_N = torch.where(self.writes_V[token_N], self.ends_V[token_N], before.inside_N)
        return WordState(before.words_N + begun_N, inside_N)

    def banned(self, state: WordState, sentence_N: Tensor, left_N: Tensor) -> Tensor:
        """[N, V]: what would leave the bounds, or no room to reach them in the tokens that are left."""
        least_N, most_N = self.least_B[sentence_N], self.most_B[sentence_N]
        begun_NV = self.runs_V - (state.inside_N[:, None] & self.joins_V).long()
        banned_NV = state.words_N[:, None] + begun_NV > most_N[:, None]
        missing_N = least_N - state.words_N
        hurried_N = (missing_N > 0) & (left_N <= self.tokens_per_word * missing_N)
        idle_NV = begun_NV <= 0
        if self.tokens_per_word > 1:  # a space makes the next word possible
            idle_NV &= ~(state.inside_N[:, None] & ~self.ends_V & self.writes_V)
        banned_NV |= hurried_N[:, None] & idle_NV
        banned_NV[:, EOS] = missing_N > 0
        return banned_NV


def _shown(number: int, surface: str, first_entry: int) -> str:
    """What a token writes as far as words go: bytes are part of a word, special tokens write nothing."""
    if number < len(SPECIAL_TOKENS):
        return surface if number == UNK else ""
    return surface or ("?" if number < first_entry else "")
