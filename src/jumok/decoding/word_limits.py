"""Limits in words that every finished hypothesis keeps, whatever its tokens are."""

from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.decoding.words import Surfaces
from jumok.shapes import EOS, SPECIAL_TOKENS, UNK


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
