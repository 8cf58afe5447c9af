"""Limits in words that every finished hypothesis keeps, whatever its tokens are."""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from jumok.decoding.words import Surfaces
from jumok.shapes import EOS, SPECIAL_TOKENS, UNK

OTHER, NOTHING = 256, 257
"""Columns beside those of the 256 bytes: a token that writes characters, and one that writes nothing."""


@dataclass(frozen=True)
class WordState:
    """What is known of the words of each row."""

    words_N: Tensor
    """Words begun."""
    inside_N: Tensor
    """Whether the last character belongs to a word."""
    spelled_N: Tensor
    """How much of a white space character has been spelled in bytes (`_spelled_spaces`)."""

    def select(self, index_N: Tensor) -> "WordState":
        """The rows named by `index_N`."""
        return WordState(self.words_N[index_N], self.inside_N[index_N], self.spelled_N[index_N])


class WordLimits:
    """Keeps each sentence's words within bounds, over any vocabulary: a space in what a token writes parts words.

    A space is written by tokens made for it, never in bytes: single bytes do not say how many words they are.
    """

    def __init__(self, vocabulary: Surfaces, least_B: Tensor, most_B: Tensor) -> None:
        self.least_B, self.most_B = least_B, most_B
        device = least_B.device
        surfaces = [_shown(number, text, vocabulary.first_entry) for number, text in enumerate(vocabulary.surfaces)]
        self.runs_V = torch.tensor([len(text.split()) for text in surfaces], device=device)
        self.joins_V = torch.tensor([bool(text) and not text[0].isspace() for text in surfaces], device=device)
        self.ends_V = torch.tensor([bool(text) and not text[-1].isspace() for text in surfaces], device=device)
        self.writes_V = torch.tensor([bool(text) for text in surfaces], device=device)
        first_byte, end = len(SPECIAL_TOKENS), vocabulary.first_entry
        column_V = torch.where(self.writes_V, OTHER, NOTHING)
        column_V[first_byte:end] = torch.arange(end - first_byte, device=device)
        self.spelling_PV, self.spaces_PV = (table.to(device)[:, column_V] for table in _spelled_spaces())
        # Where spaces are tokens of their own, a further word takes two.
        begins_V = (self.runs_V > 0) & ~self.joins_V
        self.tokens_per_word = 1 if bool(begins_V[len(SPECIAL_TOKENS) :].any()) else 2

    def start(self) -> WordState:
        """Before the first word."""
        none_B = torch.zeros_like(self.least_B)
        return WordState(none_B, none_B.bool(), none_B)

    def advance(self, state: WordState, parent_N: Tensor, token_N: Tensor) -> WordState:
        """The state of rows that grew from `parent_N` by `token_N`."""
        before = state.select(parent_N)
        begun_N = self.runs_V[token_N] - (before.inside_N & self.joins_V[token_N]).long()
        inside_N = torch.where(self.writes_V[token_N], self.ends_V[token_N], before.inside_N)
        return WordState(before.words_N + begun_N, inside_N, self.spelling_PV[before.spelled_N, token_N])

    def banned(self, state: WordState, sentence_N: Tensor, left_N: Tensor) -> Tensor:
        """[N, V]: what would leave the bounds, or no room to reach them in the tokens that are left."""
        least_N, most_N = self.least_B[sentence_N], self.most_B[sentence_N]
        begun_NV = self.runs_V - (state.inside_N[:, None] & self.joins_V).long()
        banned_NV = (state.words_N[:, None] + begun_NV > most_N[:, None]) | self.spaces_PV[state.spelled_N]
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


@cache
def _spelled_spaces() -> tuple[Tensor, Tensor]:
    """Tables [P, 258] over the beginnings P of white space in UTF-8, the first of them empty, and what comes next.

    The first has the beginning that there is afterwards, the second whether a white space character is complete.
    """
    spaces = {chr(code).encode() for code in range(0x10000) if chr(code).isspace()}
    begun = sorted({space[:size] for space in spaces for size in range(len(space))})
    number = {beginning: place for place, beginning in enumerate(begun)}
    after = [[number.get(one + bytes([b]), number.get(bytes([b]), 0)) for b in range(256)] for one in begun]
    # What writes characters ends a spelling, and what writes nothing leaves it as it is.
    next_PC = torch.tensor([[*row, 0, place] for place, row in enumerate(after)])
    complete_PC = torch.zeros_like(next_PC, dtype=torch.bool)
    for space in spaces:
        complete_PC[number[space[:-1]], space[-1]] = True
    complete_PC[:, :256] |= complete_PC[0, :256]
    return next_PC, complete_PC
