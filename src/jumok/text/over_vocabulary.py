"""What follows from a vocabulary alone, the same for every tokenizer that has one."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from jumok.text.vocabulary import Vocabulary


class OverVocabulary(ABC):
    """Names, text and words of ids; how a line becomes ids is the tokenizer's own affair."""

    vocabulary: Vocabulary

    @abstractmethod
    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line without BOS and EOS."""

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(self.vocabulary)

    def tokens(self, line: str) -> list[str]:
        """The names of the line's tokens, such as `▁the`."""
        return [self.vocabulary.names[token_id] for token_id in self.encode(line)]

    def token(self, token_id: int) -> str:
        """The name of one token."""
        return self.vocabulary.name(token_id)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; PAD, BOS and EOS are dropped."""
        return self.vocabulary.decode(ids)

    def word_of_token(self, ids: Sequence[int]) -> list[int]:
        """For each id the number of its word, -1 for PAD, BOS and EOS; a space belongs to the word after it."""
        return self.vocabulary.word_of_token(ids)
