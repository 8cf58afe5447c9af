"""A source sentence as it is typed, as it is given to the model, and how the two lie on each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from jumok.data.sources import Tokens
from jumok.models.contract import Memory
from jumok.shapes import EOS, UNK
from jumok.studio.payload import MAX_WORDS, Note, Side, Token
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.text.normal import words_of
from jumok.text.tokenizer import Tokenizer

How = Literal["remove", "mask", "unknown"]


@dataclass(frozen=True)
class Source:
    """A source; `ids` is what the model reads (EOS last), `columns` the place of each of them in the original."""

    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    """Of the original, EOS last."""
    ids: tuple[int, ...]
    columns: tuple[int, ...]
    hidden: frozenset[int] = frozenset()
    """Original columns that cross attention may not look at."""
    notes: tuple[Note, ...] = ()

    @property
    def text(self) -> str:
        """The words as one line."""
        return " ".join(self.words)

    @property
    def width(self) -> int:
        """How many columns the original has."""
        return len(self.tokens)

    @property
    def word_of_token(self) -> list[int]:
        """The word of each original token, −1 for EOS."""
        return [token.word for token in self.tokens]

    @property
    def side(self) -> Side:
        """The sentence as answers tell it."""
        return Side(text=self.text, words=list(self.words), tokens=list(self.tokens))

    def without(self, word: int, how: How) -> "Source":
        """The source with a word taken away, in the sense of `how`."""
        if word >= len(self.words):
            raise invalid(f"The sentence has {len(self.words)} words, from 0; there is no word {word}.")
        places = {place for place, token in enumerate(self.tokens) if token.word == word}
        if how == "mask":
            return replace(self, hidden=self.hidden | places)
        pairs = list(zip(self.ids, self.columns, strict=True))
        if how == "unknown":
            return replace(self, ids=tuple(UNK if column in places else token for token, column in pairs))
        kept = [(token, column) for token, column in pairs if column not in places]
        return replace(self, ids=tuple(token for token, _ in kept), columns=tuple(column for _, column in kept))


def read_source(session: Session, text: str) -> Source:
    """The source of a typed text, cut to what the studio and the model take."""
    typed = words_of(text)
    if not typed:
        raise invalid("There is no word in the text; type a sentence.")
    words = typed[:MAX_WORDS]
    whole = session.source.encode(" ".join(words))
    ids = whole[: session.longest_source]
    word_of_token = session.source.word_of_token(ids)
    words = words[: max(word_of_token, default=-1) + 1]
    notes: list[Note] = []
    if len(words) < len(typed) or len(ids) < len(whole):
        left = len(typed) - len(words)
        message = f"Only the first {len(words)} words are shown and translated; {left} were left out."
        if left == 0:
            message = f"The last of {len(words)} words is cut: the model takes {session.longest_source} tokens."
        notes.append(Note(code="source_cut", message=message, count=len(words)))
    unknown = [words[word] for token, word in zip(ids, word_of_token, strict=True) if token == UNK]
    if unknown:
        shown = ", ".join(unknown[:5])
        notes.append(Note(code="unknown_words", message=f"The model does not know: {shown}.", words=unknown[:5]))
    tokens = side_tokens(session.source, ids)
    return Source(tuple(words), tuple(tokens), (*ids, EOS), tuple(range(len(ids) + 1)), notes=tuple(notes))


def side_tokens(tokenizer: Tokenizer, ids: Sequence[int]) -> list[Token]:
    """The tokens of a side, EOS last."""
    words = tokenizer.word_of_token(ids)
    tokens = [Token(id=one, text=tokenizer.token(one), word=word) for one, word in zip(ids, words, strict=True)]
    return [*tokens, Token(id=EOS, text=tokenizer.token(EOS), word=-1)]


def encode(session: Session, source: Source, need_weights: bool = False) -> tuple[Memory, Tensor]:
    """The memory of the source and its mask [1, S]; hidden columns are read by the encoder but not attended."""
    source_BS = torch.tensor([source.ids], device=session.device)
    mask_BS = torch.ones_like(source_BS, dtype=torch.bool)
    memory = session.run.model.encode(Tokens(source_BS, mask_BS), need_weights)
    if source.hidden:
        open_S = [column not in source.hidden for column in source.columns]
        memory = replace(memory, mask_BS=torch.tensor([open_S], device=session.device))
        memory = session.run.model.prepare(memory)
    return memory, mask_BS
