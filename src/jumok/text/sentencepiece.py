"""Subword pieces by SentencePiece, byte-pair encoding or unigram, trained on our own text.

SentencePiece learns the pieces and finds the best segmentation of a word; the rest is ours, so that nothing
in a line can surprise it: lines are normalised and cut into words here, each word is handed over with its
space mark, and the two characters it would treat specially (its own space mark and NUL) are spelled in bytes
without asking it.
"""

import io
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import sentencepiece

from jumok.errors import TextError
from jumok.shapes import BOS, EOS, PAD, SPECIAL_TOKENS, UNK
from jumok.text.base import Tokenizer
from jumok.text.files import save_side
from jumok.text.options import TokenizerOptions, count_words, line_words
from jumok.text.protobuf import field, split
from jumok.text.sampling import BpeSampler, Draw, UnigramSampler
from jumok.text.vocabulary import FIRST_BYTE, SPACE_MARK, Vocabulary

_SPECIAL = re.compile("([▁\0])")
_UNTRAINABLE = re.compile("[▁▅\0]")  # SentencePiece also keeps U+2585 for itself while it trains
_LONGEST_TRAINED = 256  # characters; a longer "word" is a link or a blob that teaches no pieces
_LONGEST_SAMPLED = 64  # characters; longer words are drawn in parts, which bounds the work for a blob
_LONGEST_LINE = 2048  # bytes before the last word; SentencePiece skips lines of more than 4192
_CACHED_WORDS = 65_536
_LARGEST_CHOSEN = 32_000
_SEEN_OFTEN = 5


class SentencePieceTokenizer(Tokenizer):
    """Pieces of words; `kind` is `bpe` or `unigram`."""

    def __init__(self, kind: str, model: bytes, options: TokenizerOptions) -> None:
        fallback = True if options.byte_fallback is None else options.byte_fallback
        self.kind = kind
        self.options = replace(options, byte_fallback=fallback)
        self._model = model
        self._processor = _open(model)
        first = FIRST_BYTE + (256 if fallback else 0)
        pieces = [self._processor.id_to_piece(i) for i in range(first, self._processor.get_piece_size())]
        self.vocabulary = Vocabulary(
            ((piece, piece.replace(SPACE_MARK, " ")) for piece in pieces), byte_fallback=fallback
        )
        self._ids = {piece: first + number for number, piece in enumerate(pieces)}
        self._scores = {piece: self._processor.get_score(piece_id) for piece, piece_id in self._ids.items()}
        self._words: dict[str, list[int]] = {}
        sampler = BpeSampler if kind == "bpe" else UnigramSampler
        self._sampler = sampler(self._scores, options.sampling)

    def __reduce__(self) -> tuple[type, tuple[str, bytes, TokenizerOptions]]:
        return type(self), (self.kind, self._model, self.options)

    @classmethod
    def build(
        cls, kind: str, lines: Iterable[str], size: int | None, options: TokenizerOptions
    ) -> "SentencePieceTokenizer":
        """Pieces learned from the lines' words. Memory grows with the number of different words, not of
        lines."""
        counts = count_words(lines, options.lowercase)
        fallback = options.byte_fallback is not False
        model = _train(kind, counts, size, fallback, options.character_coverage)
        return cls(kind, model, options)

    @property
    def sha256(self) -> str:
        """The hash of all that decides how a line is segmented."""
        return sha256(self._model + repr((self.kind, self.options)).encode()).hexdigest()

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the best segmentation; with a seed (and `sampling` on) of one drawn by that seed
        alone."""
        words = line_words(line, self.options.lowercase)
        ids: list[int] = []
        if sample_seed is None or self.options.sampling == 0.0:
            known = self._words
            for word in words:
                ids += known.get(word) or self._encode_word(word)
            return ids
        draw = random.Random(sample_seed).random
        for word in words:
            for text, special in _runs(word):
                if special:
                    ids += self.vocabulary.spell(text)
                else:
                    ids += self._ids_of(self._draw_pieces(text, draw))
        return ids

    def save(self, folder: str | Path, side: str) -> None:
        """Write `<side>.model` and its entry in `tokenizer.json`."""
        save_side(Path(folder), side, self.kind, self.size, self.options, f"{side}.model", self._model)

    def standalone(self) -> bytes:
        """The SentencePiece model for other programs, which hand it whole lines: it then folds white space and puts the
        space mark before the first word itself. Lines must be in NFC.
        """
        # ModelProto.normalizer_spec = 3; add_dummy_prefix = 3, remove_extra_whitespaces = 4, escape_whitespaces = 5
        options = field(1, "identity") + field(3, 1) + field(4, 1) + field(5, 1)
        return b"".join(part for number, part in split(self._model) if number != 3) + field(3, options)

    def _encode_word(self, word: str) -> list[int]:
        ids: list[int] = []
        for text, special in _runs(word):
            ids += self.vocabulary.spell(text) if special else self._processor.encode(text)
        if len(self._words) >= _CACHED_WORDS:
            self._words.clear()
        self._words[word] = ids
        return ids

    def _draw_pieces(self, text: str, draw: Draw) -> list[str]:
        if len(text) <= _LONGEST_SAMPLED:
            return self._sampler.draw(text, draw)
        parts = (text[start : start + _LONGEST_SAMPLED] for start in range(0, len(text), _LONGEST_SAMPLED))
        return [piece for part in parts for piece in self._sampler.draw(part, draw)]

    def _ids_of(self, pieces: Iterable[str]) -> list[int]:
        ids: list[int] = []
        for piece in pieces:
            known = self._ids.get(piece)
            ids += self.vocabulary.spell(piece) if known is None else (known,)
        return ids


def _runs(word: str) -> Iterator[tuple[str, bool]]:
    """The word's parts and whether each is a special character; the space mark stands before the first."""
    if SPACE_MARK not in word and "\0" not in word:
        yield SPACE_MARK + word, False
        return
    first, *rest = _SPECIAL.split(word)
    yield SPACE_MARK + first, False
    for number, part in enumerate(rest):
        if part:
            yield part, number % 2 == 0


def open_model(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """The processor of a stored SentencePiece model, whatever ids it gives to its pieces."""
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.load_from_serialized_proto(model)
    except RuntimeError as error:
        raise TextError("a tokenizer file is not a SentencePiece model; restore the saved one.") from error
    return processor


def _open(model: bytes) -> sentencepiece.SentencePieceProcessor:
    processor = open_model(model)
    ids = (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id())
    if ids != (PAD, UNK, BOS, EOS):
        raise TextError(f"a SentencePiece model has the special ids {ids}, not {(PAD, UNK, BOS, EOS)}.")
    return processor


def _weighted(kind: str, counts: Counter[str]) -> Iterator[str]:
    """The words with their counts as SentencePiece reads them, in an order that depends on nothing else.

    Unigram takes its first pieces from substrings that stand in two places of the list with different
    characters after them. A word seen twice or more is therefore listed twice, once before the end of a line
    and once before a space.
    """
    twice = {word for word, count in counts.items() if count > 1 and kind == "unigram"}
    for word, count in sorted(counts.items()):
        yield f" {word}\t{count - (word in twice)}"
    for line in _joined(sorted(twice)):
        yield f" {line} \t1"


def _joined(words: Iterable[str]) -> Iterator[str]:
    """Words in lines that SentencePiece does not skip for their length."""
    line: list[str] = []
    size = 0
    for word in words:
        line.append(word)
        size += len(word.encode()) + 1
        if size > _LONGEST_LINE:
            yield " ".join(line)
            line, size = [], 0
    if line:
        yield " ".join(line)


def _train(kind: str, counts: Counter[str], size: int | None, fallback: bool, coverage: float) -> bytes:
    kept = {w: c for w, c in counts.items() if len(w) <= _LONGEST_TRAINED and not _UNTRAINABLE.search(w)}
    if not kept:
        raise TextError("a tokenizer cannot be built: no word of the text can be learned from.")
    counts = Counter(kept)
    writer = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_weighted(kind, counts),
            model_writer=writer,
            model_type=kind,
            vocab_size=_suggested_size(counts, fallback) if size is None else size,
            hard_vocab_limit=size is not None,
            input_format="tsv",
            normalization_rule_name="identity",
            add_dummy_prefix=False,
            remove_extra_whitespaces=False,
            byte_fallback=fallback,
            character_coverage=coverage,
            required_chars=SPACE_MARK,
            pad_id=PAD,
            unk_id=UNK,
            bos_id=BOS,
            eos_id=EOS,
            pad_piece=SPECIAL_TOKENS[PAD],
            # A fixed number: the sums of the EM steps, and so the last digits, depend on it.
            num_threads=4,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise _training_error(kind, size, str(error)) from error
    return writer.getvalue()


def _suggested_size(counts: Counter[str], fallback: bool) -> int:
    """A vocabulary for this much text: every character, and a piece for each word seen often, to a limit."""
    characters = len({character for word in counts for character in word})
    fixed = FIRST_BYTE + (256 if fallback else 0) + characters + 1
    often = sum(1 for count in counts.values() if count >= _SEEN_OFTEN)
    return fixed + min(_LARGEST_CHOSEN, max(often, 64))


def _training_error(kind: str, size: int | None, message: str) -> TextError:
    if limit := re.search(r"too high.*<= (\d+)", message, re.DOTALL):
        return TextError(
            f"a {kind} vocabulary of {size} is larger than the text supports; text.size can be at most "
            f"{limit.group(1)} here."
        )
    if needed := re.search(r"smaller than required_chars\. \d+ vs (\d+)", message):
        return TextError(
            f"a {kind} vocabulary of {size} is too small for the text's characters; text.size must be "
            f"at least {needed.group(1)} here."
        )
    return TextError(f"SentencePiece could not learn a {kind} vocabulary (text.size={size}): {message}")
