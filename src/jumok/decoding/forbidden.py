"""Forbidden words: an automaton over what tokens write, so that no segmentation of a word slips through.

The state is what matters of the text so far: which forbidden phrases have begun and how far they have come. Reading a
token's characters moves it on. A phrase that is complete but might still go on (`dog` → `dogs`) is *awaiting* its end:
then every token that would end the word, EOS among them, is banned.

Rows of the table are made when a state is first reached. Most tokens lead from any state to one of three idle
states, so a row walks through few tokens: those that continue a phrase, and those a phrase begins in.
"""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from jumok.decoding.lists import distinct, ints
from jumok.decoding.words import Phrase, Surfaces, is_word_character
from jumok.shapes import EOS, SPECIAL_TOKENS

Before = Literal["word", "space", "other"]
_CLASSES: tuple[Before, ...] = ("word", "space", "other")
FIRST_BYTE = len(SPECIAL_TOKENS)


@dataclass(frozen=True)
class TextState:
    """The text so far, as far as forbidden phrases care."""

    begun: frozenset[tuple[int, int]] = frozenset()
    """(phrase, characters of it read)."""
    before: Before = "space"
    """The class of the last character; a text begins as after a space."""
    bytes_read: bytes = b""
    """The first bytes of a character spelled in bytes."""


def class_of(character: str) -> Before:
    """Which of the three classes a character is in."""
    if character.isspace():
        return "space"
    return "word" if is_word_character(character) else "other"


class ForbiddenWords:
    """For each state and token: is it banned, where does it lead, and is that a place it must continue from."""

    def __init__(self, phrases: Sequence[Phrase], vocabulary: Surfaces) -> None:
        self.phrases = list(phrases)
        self._vocabulary = vocabulary
        self._surfaces = vocabulary.surfaces
        self._numbers: dict[TextState, int] = {}
        self._states: list[TextState] = []
        self._rows: dict[int, tuple[Tensor, Tensor, Tensor]] = {}
        self._index_tokens()
        self.start = self._number(TextState())
        # The tables grow as states are reached; row numbers of the tables are `_place[state]`.
        self._place: dict[int, int] = {}
        self._tables: tuple[Tensor, Tensor, Tensor] | None = None

    def starts(self, sentences: int) -> Tensor:
        """The state before the first word of each sentence."""
        return torch.full((sentences,), self.start)

    def _index_tokens(self) -> None:
        """What every row needs to know of the vocabulary."""
        heads = {phrase.text[0] for phrase in self.phrases}
        self._by_first: dict[str, list[int]] = {}
        self._starters: list[int] = []
        first_class: list[int] = []
        last_class: list[int] = []
        for token, surface in enumerate(self._surfaces):
            first_class.append(_CLASSES.index(class_of(surface[0])) if surface else -1)
            last_class.append(_CLASSES.index(class_of(surface[-1])) if surface else -1)
            if not surface:
                continue
            self._by_first.setdefault(surface[0], []).append(token)
            if any(self._may_begin(surface, at) for at, character in enumerate(surface) if character in heads):
                self._starters.append(token)
        self._first_class_V = torch.tensor(first_class)
        self._last_class_V = torch.tensor(last_class)
        self._bytes = range(FIRST_BYTE, self._vocabulary.first_entry)

    @staticmethod
    def _may_begin(surface: str, at: int) -> bool:
        """Whether a word may begin at this character of a token (at the first one it depends on the state)."""
        return at == 0 or not is_word_character(surface[at - 1]) or not is_word_character(surface[at])

    def _number(self, state: TextState) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def _awaiting(self, state: TextState) -> bool:
        return any(read == len(self.phrases[phrase].text) for phrase, read in state.begun)

    def _read(self, state: TextState, character: str) -> TextState | None:
        """The state after one character, None where a forbidden phrase has come to stand in the text."""
        if character.isspace():
            if state.before == "space":
                return state  # white space is folded
            character = " "
        begun: set[tuple[int, int]] = set()
        for phrase, read in state.begun:
            text = self.phrases[phrase].text
            if read == len(text):
                if not is_word_character(character):
                    return None
            elif text[read] == character:
                begun.add((phrase, read + 1))
        for phrase, wanted in enumerate(self.phrases):
            if wanted.text[0] == character and not (wanted.needs_start and state.before == "word"):
                begun.add((phrase, 1))
        for phrase, read in begun:
            wanted = self.phrases[phrase]
            if read == len(wanted.text) and not wanted.needs_end:
                return None
        return TextState(frozenset(begun), class_of(character))

    def read_token(self, state: TextState, token: int) -> TextState | None:
        """The state after a token, None where it is banned."""
        if token == EOS:
            return None if self._awaiting(state) else state
        if token in self._bytes:
            return self._read_byte(state, token - FIRST_BYTE)
        return self._read_text(self._flush(state), self._surfaces[token])

    def _read_text(self, state: TextState | None, text: str) -> TextState | None:
        for character in text:
            if state is None:
                return None
            state = self._read(state, character)
        return state

    def _read_byte(self, state: TextState, byte: int) -> TextState | None:
        """Bytes are read as a character once they make one."""
        pending = state.bytes_read + bytes((byte,))
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(pending)
        left = decoder.getstate()[0]
        after = self._read_text(TextState(state.begun, state.before), text)
        return None if after is None else TextState(after.begun, after.before, left)

    def _flush(self, state: TextState) -> TextState | None:
        """Bytes that no character came of are written as the replacement character."""
        if not state.bytes_read:
            return state
        return self._read(TextState(state.begun, state.before), "�")

    def _row(self, number: int) -> tuple[Tensor, Tensor, Tensor]:
        """next_V, banned_V and risky_V (leads to a state that must go on) of one state."""
        if number in self._rows:
            return self._rows[number]
        state = self._states[number]
        next_V, banned_V = self._default_row(number, state)
        for token in self._to_walk(state):
            after = self.read_token(state, token)
            banned_V[token] = after is None
            next_V[token] = number if after is None else self._number(after)
        risky_V = torch.zeros(len(self._surfaces), dtype=torch.bool)
        self._rows[number] = (next_V, banned_V, risky_V)
        for after in set(ints(next_V)):
            if self._awaiting(self._states[after]):
                leads = (next_V == after) & ~banned_V
                # Where nothing can follow the completed word, its last token is banned already.
                (risky_V if self._can_go_on(after) else banned_V)[leads] = True
        return self._rows[number]

    def _default_row(self, number: int, state: TextState) -> tuple[Tensor, Tensor]:
        """The row as if no phrase went on or began in any token."""
        idle = torch.tensor([self._number(TextState(before=before)) for before in _CLASSES] + [number])
        next_V = idle[self._last_class_V]
        banned_V = torch.zeros(len(self._surfaces), dtype=torch.bool)
        if self._awaiting(state):
            banned_V = self._first_class_V > 0  # begins with a space or punctuation
        return next_V, banned_V

    def _to_walk(self, state: TextState) -> set[int]:
        """The tokens that the default row is wrong for."""
        if state.bytes_read:
            return set(range(EOS, len(self._surfaces)))
        tokens = {EOS, *self._bytes, *self._starters}
        for phrase, read in state.begun:
            text = self.phrases[phrase].text
            if read < len(text):
                tokens.update(self._by_first.get(text[read], ()))
        return tokens

    def _can_go_on(self, number: int) -> bool:
        """Whether some token leads from an awaiting state to one that is not."""
        state = self._states[number]
        inside = ints((self._first_class_V == 0).nonzero()[:, 0])
        for token in inside:
            after = self.read_token(state, token)
            if after is not None and not self._awaiting(after):
                return True
        return False

    def rows(self, state_N: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """next_NV, banned_NV and risky_NV for the states of rows."""
        wanted, place_N = distinct(state_N.cpu())
        new = [number for number in wanted if number not in self._place]
        if new or self._tables is None:
            for number in new:
                self._place[number] = len(self._place)
            ordered = sorted(self._place, key=self._place.__getitem__)
            made = [self._row(number) for number in ordered]
            self._tables = (
                torch.stack([row[0] for row in made]),
                torch.stack([row[1] for row in made]),
                torch.stack([row[2] for row in made]),
            )
        at_N = torch.tensor([self._place[number] for number in wanted])[place_N]
        next_QV, banned_QV, risky_QV = self._tables
        device = state_N.device
        return next_QV[at_N].to(device), banned_QV[at_N].to(device), risky_QV[at_N].to(device)


class ForbiddenBySentence:
    """The same where sentences have vocabularies of their own (`text.slots`): an automaton for each.

    A state is the number of the automaton's own state times the count of automata, plus the number of the automaton.
    """

    def __init__(self, of_sentence: Sequence[ForbiddenWords]) -> None:
        self.automata = list(dict.fromkeys(of_sentence))
        count = len(self.automata)
        self.start_B = torch.tensor([one.start * count + self.automata.index(one) for one in of_sentence])

    def starts(self, sentences: int) -> Tensor:
        """The state before the first word of each sentence."""
        assert sentences == len(self.start_B)
        return self.start_B

    def rows(self, state_N: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """next_NV, banned_NV and risky_NV for the states of rows."""
        count, parts = len(self.automata), list[tuple[Tensor, Tensor, Tensor]]()
        which_N = state_N % count
        wanted, place_N = distinct(which_N.cpu())
        order = [(place_N == place).nonzero()[:, 0].to(state_N.device) for place in range(len(wanted))]
        for number, mine in zip(wanted, order, strict=True):
            next_MV, banned_MV, risky_MV = self.automata[number].rows(state_N[mine] // count)
            parts.append((next_MV * count + number, banned_MV, risky_MV))
        back_N = torch.cat(order).argsort()
        next_NV, banned_NV, risky_NV = (torch.cat(tables)[back_N] for tables in zip(*parts, strict=True))
        return next_NV, banned_NV, risky_NV
