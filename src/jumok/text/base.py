"""What every tokenizer can do, and what follows from its vocabulary alone."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path

from jumok.text.options import TokenizerOptions
from jumok.text.vocabulary import Vocabulary


class Tokenizer(ABC):
    """Lines to ids and back. `decode(encode(line)) == normalise(line)` wherever byte fallback is on."""

    kind: str
    """`bpe`, `unigram`, `words`, `characters` or `pieces`."""
    options: TokenizerOptions
    """What the tokenizer was told."""
    vocabulary: Vocabulary
    """The names of all ids and what each of them writes."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """The hash of all that decides how a line is segmented."""

    @abstractmethod
    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line without BOS and EOS; a seed draws another segmentation where `sampling` is on."""

    @abstractmethod
    def save(self, folder: str | Path, side: str) -> None:
        """Write the tokenizer as the `source`, `target` or `joint` one of the folder."""

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

    def names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The names of several tokens."""
        return self.vocabulary.names_of(ids)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; PAD, BOS and EOS are dropped, UNK is written as `<unk>`."""
        return self.vocabulary.decode(ids)

    def word_of_token(self, ids: Sequence[int]) -> list[int]:
        """For each id the number of its word, -1 for PAD, BOS and EOS; a space belongs to the word after it."""
        return self.vocabulary.word_of_token(ids)

    def word_of_read(self, ids: Sequence[int], words: Sequence[str]) -> list[int]:
        """The same of an encoded line whose words are known: unknown tokens hide where a word begins."""
        return self.word_of_token(ids)
