"""One token for each character, the space among them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jumok.shapes import SPECIAL_TOKENS
from jumok.text.listed import ListedTokenizer
from jumok.text.options import TokenizerOptions, chosen_size, count_words, line_words
from jumok.text.vocabulary import SPACE_MARK, Vocabulary


class CharacterTokenizer(ListedTokenizer):
    """Characters from a list; others are spelled in bytes, or UNK without byte fallback."""

    kind = "characters"

    def __init__(self, characters: Sequence[str], options: TokenizerOptions) -> None:
        fallback = True if options.byte_fallback is None else options.byte_fallback
        super().__init__(characters, replace(options, byte_fallback=fallback))
        # A `▁` of the text itself is an entry (or three bytes) of its own: only its name looks like the
        # space's.
        entries = [(SPACE_MARK, " "), *((character, character) for character in characters)]
        self.vocabulary = Vocabulary(entries, byte_fallback=fallback)
        first = self.vocabulary.first_entry
        self._ids = {character: [first + 1 + number] for number, character in enumerate(characters)}
        self._ids[" "] = [first]

    @classmethod
    def build(cls, lines: Iterable[str], size: int | None, options: TokenizerOptions) -> "CharacterTokenizer":
        """The most frequent characters; equal counts in the order of their code points."""
        counts: Counter[str] = Counter()
        for word, count in count_words(lines, options.lowercase).items():
            for character in word:
                counts[character] += count
        ranked = sorted((-count, character) for character, count in counts.items() if count >= options.min_count)
        fixed = len(SPECIAL_TOKENS) + (0 if options.byte_fallback is False else 256) + 1
        kept = chosen_size(size, fixed, len(ranked), cls.kind)
        return cls([character for _, character in ranked[:kept]], options)

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line's characters; there is nothing to sample."""
        ids: list[int] = []
        known = self._ids
        for character in " ".join(line_words(line, self.options.lowercase)):
            ids += known.get(character) or self.vocabulary.spell(character)
        return ids
