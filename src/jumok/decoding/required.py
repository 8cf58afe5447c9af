"""Required words: how far each hypothesis has come with them, and how many tokens it still needs.

A required phrase is a set of token sequences: its segmentations. The state of a hypothesis is the set of phrases it
has written (`met`) and the tokens at its end that may become one (`path`), as in the automaton of Aho and Corasick
(1975). A phrase whose end needs a word boundary (`dog`, not `dogs`) is *awaiting* until the next token shows one.

`needed` is the number of tokens with which a state can surely complete everything. From every state some token takes
it down by one, so a hypothesis that always keeps `needed` within what is left of its length cannot fail.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from jumok.decoding.lists import distinct
from jumok.decoding.words import Path, Phrase, RequiredPhrase, Surfaces, is_word_character
from jumok.errors import InputError
from jumok.shapes import BOS, EOS, SPECIAL_TOKENS

_SEGMENTATIONS = 8
_LONGEST = 64


def segment(phrase: Phrase, usual: Sequence[int], vocabulary: Surfaces) -> RequiredPhrase:
    """The segmentations of a phrase: the tokenizer's `usual` one and the shortest others.

    A word begins with a space; where the vocabulary writes that as a token of its own, the word may also stand at
    the very beginning without it, which is noted as a path from BOS.
    """
    lead = " " + phrase.text
    found = _spellings(lead, vocabulary)
    written = "".join(vocabulary.surfaces[token] for token in usual)
    if written == lead:
        found.append(tuple(usual))
    if not phrase.needs_start:
        found += _spellings(phrase.text, vocabulary)
    opening = [(BOS, *path) for path in _spellings(phrase.text, vocabulary)]
    if not found:
        raise InputError(f"'{phrase}' cannot be required: the model's vocabulary has no tokens that write it.")
    paths = sorted(set(found), key=len)[: 2 * _SEGMENTATIONS]
    return RequiredPhrase(phrase, (*paths, *opening))


def _spellings(text: str, vocabulary: Surfaces) -> list[Path]:
    """The shortest ways to write a text with the vocabulary's entries; bytes where a character has none."""
    if len(text) > _LONGEST:
        raise InputError(f"'{text.strip()}' is too long to be required; {_LONGEST} characters are the most.")
    by_surface = entries_by_surface(vocabulary)
    ways: list[list[Path]] = [[] for _ in range(len(text) + 1)]
    ways[0] = [()]
    for end in range(1, len(text) + 1):
        reached: list[Path] = []
        for start in range(end):
            tokens = by_surface.get(text[start:end], [])
            reached += [(*path, token) for path in ways[start] for token in tokens]
        if not reached:
            spelled = _bytes_of(text[end - 1], vocabulary)
            reached = [(*path, *spelled) for path in ways[end - 1]] if spelled else []
        ways[end] = sorted(set(reached), key=len)[:_SEGMENTATIONS]
    return ways[-1]


def _bytes_of(character: str, vocabulary: Surfaces) -> Path:
    """The byte tokens of a character, nothing without byte fallback."""
    first = len(SPECIAL_TOKENS)
    if vocabulary.first_entry == first:
        return ()
    return tuple(first + byte for byte in character.encode("utf-8"))


def entries_by_surface(vocabulary: Surfaces) -> dict[str, list[int]]:
    """The ids that write each text."""
    return _entries_by_surface(tuple(vocabulary.surfaces), vocabulary.first_entry)


@lru_cache(maxsize=4)
def _entries_by_surface(surfaces: tuple[str, ...], first: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for token in range(first, len(surfaces)):
        if surfaces[token]:
            found.setdefault(surfaces[token], []).append(token)
    return found


@dataclass(frozen=True)
class PhraseState:
    """Where a hypothesis of one sentence stands: which phrases it has met, and how far it is in one."""

    sentence: int
    met: frozenset[int] = frozenset()
    path: Path = ()


class RequiredWords:
    """The states of all hypotheses of a batch, each sentence with phrases of its own.

    `columns_V` gives each token of the vocabulary its column in the rows of the table: one for each token that occurs
    in a phrase, one for all others that begin a new word, and one for those that carry the last word on.
    """

    def __init__(self, phrases: Sequence[Sequence[RequiredPhrase]], vocabulary: Surfaces) -> None:
        self.phrases = [list(wanted) for wanted in phrases]
        tokens = {token for wanted in phrases for one in wanted for path in one.segmentations for token in path}
        self.tokens = sorted(tokens - {BOS})
        self._begins_word = [
            token == EOS or (surface != "" and not is_word_character(surface[0]))
            for token, surface in enumerate(vocabulary.surfaces)
        ]
        columns = {token: column for column, token in enumerate(self.tokens)}
        boundary, inside = len(self.tokens), len(self.tokens) + 1
        self.columns_V = torch.tensor(
            [columns.get(token, boundary if begins else inside) for token, begins in enumerate(self._begins_word)]
        )
        self._numbers: dict[PhraseState, int] = {}
        self._states: list[PhraseState] = []
        self._rows: list[list[int]] = []
        self._needed: list[int] = []
        self._fresh: list[int] = []
        starts = [self._advance(PhraseState(b), BOS, True) for b in range(len(self.phrases))]
        self.start_B = torch.tensor([self._number(start) for start in starts], dtype=torch.long)

    def _number(self, state: PhraseState) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
            self._rows.append([])
            self._needed.append(self._tokens_needed(state))
            wanted = self.phrases[state.sentence]
            self._fresh.append(sum(one.tokens for p, one in enumerate(wanted) if p not in state.met))
        return self._numbers[state]

    def _complete(self, state: PhraseState, *, closed: bool) -> set[int]:
        """Unmet phrases that the path ends in; `closed` for those that wait for a word boundary."""
        found: set[int] = set()
        for p, wanted in enumerate(self.phrases[state.sentence]):
            if p not in state.met and wanted.phrase.needs_end == closed:
                paths = wanted.segmentations
                if any(len(s) <= len(state.path) and state.path[-len(s) :] == s for s in paths):
                    found.add(p)
        return found

    def _advance(self, state: PhraseState, token: int, begins_word: bool) -> PhraseState:
        """The state after a token; -1 is any token that no phrase has."""
        met = state.met
        if begins_word:
            met = met | self._complete(state, closed=True)
        wanted = [one for p, one in enumerate(self.phrases[state.sentence]) if p not in met]
        path = (*state.path, token)
        # The longest suffix that one of the unmet phrases begins with.
        while path and not any(s[: len(path)] == path for one in wanted for s in one.segmentations):
            path = path[1:]
        after = PhraseState(state.sentence, met, path)
        done = self._complete(after, closed=False)
        return PhraseState(state.sentence, met | done, path) if done else after

    def _tokens_needed(self, state: PhraseState) -> int:
        """An upper bound on the tokens to come that some next token always takes down by one.

        Every phrase that is not met is written with its shortest segmentation, but for the one that the path has
        begun, if continuing it saves anything. A phrase that is awaiting its boundary need not be written if a
        new word begins next, and must be written again if the word continues: the cheaper of the two counts.
        """
        awaiting = self._complete(state, closed=True)
        unmet = {p: one for p, one in enumerate(self.phrases[state.sentence]) if p not in state.met}
        closing = [one for p, one in unmet.items() if p not in awaiting]
        return min(
            self._cost(closing, state.path, only_new_words=bool(awaiting)),
            self._cost(list(unmet.values()), state.path, only_new_words=False),
        )

    def _cost(self, phrases: list[RequiredPhrase], path: Path, *, only_new_words: bool) -> int:
        """The tokens that write all these phrases after the path, continuing one that it has begun."""
        saved = 0
        for one in phrases:
            for s in one.segmentations:
                begun = self._begun(path, s)
                if begun and (self._begins_word[s[begun]] or not only_new_words):
                    saved = max(saved, one.tokens - (len(s) - begun))
        return sum(one.tokens for one in phrases) - saved

    @staticmethod
    def _begun(path: Path, segmentation: Path) -> int:
        """How many tokens of the segmentation the path ends in."""
        for count in range(min(len(path), len(segmentation) - 1), 0, -1):
            if path[-count:] == segmentation[:count]:
                return count
        return 0

    def _row(self, number: int) -> list[int]:
        """The states after each column."""
        if not self._rows[number]:
            state = self._states[number]
            steps = [(token, self._begins_word[token]) for token in self.tokens] + [(-1, True), (-1, False)]
            self._rows[number] = [self._number(self._advance(state, token, begins)) for token, begins in steps]
        return self._rows[number]

    def rows(self, state_N: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """For rows: the state after each column [N, C], the tokens it then needs [N, C], and the tokens needed now."""
        numbers, place_N = distinct(state_N.cpu())
        table = [self._row(number) for number in numbers]
        next_QC = torch.tensor(table)
        needed = torch.tensor(self._needed)
        device = state_N.device
        return (
            next_QC[place_N].to(device),
            needed[next_QC][place_N].to(device),
            needed[numbers][place_N].to(device),
        )

    def needed(self, state_N: Tensor) -> Tensor:
        """The tokens that states still need; 0 where EOS may follow."""
        return torch.tensor(self._needed, device=state_N.device)[state_N]

    def needed_afresh(self, state_N: Tensor) -> Tensor:
        """The tokens that states would need if what they have begun came to nothing."""
        return torch.tensor(self._fresh, device=state_N.device)[state_N]
