"""One token for each white-space word."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from jumok.shapes import SPECIAL_TOKENS, UNK
from jumok.text.listed import ListedTokenizer
from jumok.text.options import TokenizerOptions, chosen_size, count_words, line_words
from jumok.text.vocabulary import SPACE_MARK, Vocabulary


class WordTokenizer(ListedTokenizer):
    """Words from a list; an unknown word is UNK, or with byte fallback a space mark and its bytes."""

    kind = "words"

    def __init__(self, words: Sequence[str], options: TokenizerOptions) -> None:
        super().__init__(words, replace(options, byte_fallback=bool(options.byte_fallback)))
        fallback = bool(options.byte_fallback)
        marker = [(SPACE_MARK, " ")] if fallback else []
        slots = ((f"<copy-{number}>", f" <copy-{number}>") for number in range(1, options.slots + 1))
        entries = [*marker, *((word, " " + word) for word in words), *slots]
        self.vocabulary = Vocabulary(entries, byte_fallback=fallback, unknown_surface=" <unk>")
        self._first = self.vocabulary.first_entry + len(marker)
        self._ids = {word: self._first + number for number, word in enumerate(words)}

    @classmethod
    def build(cls, lines: Iterable[str], size: int | None, options: TokenizerOptions) -> "WordTokenizer":
        """The most frequent words; equal counts in the order of the alphabet, so that the list is
        repeatable."""
        counts = count_words(lines, options.lowercase)
        ranked = sorted((-count, word) for word, count in counts.items() if count >= options.min_count)
        fixed = len(SPECIAL_TOKENS) + (257 if options.byte_fallback else 0) + options.slots
        kept = chosen_size(size, fixed, len(ranked), cls.kind)
        return cls([word for _, word in ranked[:kept]], options)

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line's words; there is nothing to sample."""
        if not self.options.byte_fallback:
            return self.encode_with(line, self.unknown(line))
        words = line_words(line, self.options.lowercase)
        ids: list[int] = []
        for word in words:
            known_id = self._ids.get(word)
            if known_id is None:
                ids += [self._first - 1, *self.vocabulary.spell(word)]
            else:
                ids.append(known_id)
        return ids

    def unknown(self, line: str) -> list[str]:
        """The different unknown words of a line that have slots, in order."""
        if not self.options.slots:
            return []
        words = dict.fromkeys(line_words(line, self.options.lowercase))
        return [word for word in words if word not in self._ids][: self.options.slots]

    def encode_with(self, line: str, unknown: Sequence[str]) -> list[int]:
        """The ids of the line's words; those of `unknown` are slots, the other unknown ones UNK."""
        slots = {word: self.size - self.options.slots + number for number, word in enumerate(unknown)}
        words = line_words(line, self.options.lowercase)
        return [self._ids.get(word, UNK) if word in self._ids else slots.get(word, UNK) for word in words]
