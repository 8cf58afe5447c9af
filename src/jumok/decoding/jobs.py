"""Lines on their way through a search: text to ids before it, hypotheses to translations after it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jumok.alignment import argmax_links
from jumok.config import SequenceConfig
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.options import Options
from jumok.decoding.outcome import BeamTree, Hypothesis
from jumok.decoding.translation import Matrix, Translation
from jumok.decoding.words import Phrase, RequiredPhrase
from jumok.models.layout import Layout, Words
from jumok.models.reach import Reach
from jumok.shapes import EOS, UNK
from jumok.text.normal import normalise, words_of
from jumok.text.slots import beside
from jumok.text.tokenizer import Tokenizer

_WIDEST_BEAM = 40
TOKENS_PER_WORD = 8


@dataclass(frozen=True)
class Job:
    """One line to translate."""

    line: str
    words: tuple[str, ...]
    ids: tuple[int, ...]
    """Without EOS, cut to the longest the model was trained for."""
    cut: int
    prefix: tuple[int, ...] = ()
    required: tuple[RequiredPhrase, ...] = ()

    @property
    def needed(self) -> int:
        """Tokens that prefix and required words take at least."""
        return len(self.prefix) + sum(phrase.tokens for phrase in self.required)

    @property
    def length(self) -> int:
        """How many positions are read; 0 where there is nothing to read."""
        return len(self.ids) + 1 if self.ids else 0

    @property
    def key(self) -> tuple[int, ...]:
        """What the draws of a sampling follow from, besides the seed."""
        return self.ids

    def bounded(self, most: int) -> int:
        """The longest output, at most `most`, where both sides count the same kind of tokens."""
        return min(most, 3 * len(self.ids) + 20)

    def layout(self, tokenizer: Tokenizer) -> Layout:
        """How the positions that are read are shown."""
        return Words.of(tokenizer, self.ids, self.words, end=EOS)


def make_job(line: str, tokenizer: Tokenizer, longest: int) -> Job:
    """The job of a line, without constraints of its own."""
    ids = tokenizer.encode(line)
    return Job(line, tuple(words_of(line)), tuple(ids[:longest]), max(0, len(ids) - longest))


def longest_output(
    job: Job, options: Options, config: SequenceConfig, source: Tokenizer, target: Tokenizer, reach: Reach
) -> int:
    """The longest output of a job, in tokens."""
    if options.max_length is not None:
        return min(options.max_length, reach.target_tokens)
    if options.length is not None:
        # Words are limited by their number; tokens only by what the model can write.
        _, most = options.length.bounds(len(job.words))
        return min(max(config.data.max_length, TOKENS_PER_WORD * min(most, 1000)), reach.target_tokens)
    longest = min(config.data.max_length, reach.target_tokens)
    if source.kind == target.kind:
        longest = job.bounded(longest)
    return min(max(longest, job.needed + 10, options.min_length), reach.target_tokens)


def knows_unknown(target: Tokenizer) -> bool:
    """Whether a vocabulary has an UNK that can replace a word."""
    return target.kind == "words" and not target.vocabulary.byte_fallback


def copies_unknown(target: Tokenizer, options: Options) -> bool:
    """Whether unknown words will be replaced by the source words they looked at, which needs the attention."""
    return options.unknown == "copy" and knows_unknown(target)


def beam_for(jobs: Sequence[Job], beam: int) -> int:
    """The beam, widened where required words need places for every bank (Post and Vilar 2018 take 20 and more)."""
    needed = max(sum(phrase.tokens for phrase in job.required) for job in jobs)
    return max(beam, min(_WIDEST_BEAM, 2 * (needed + 1))) if needed else beam


class Reader:
    """Makes translations of hypotheses."""

    def __init__(self, source: Tokenizer, target: Tokenizer, choice: AlignmentChoice, options: Options) -> None:
        self.source, self.target, self.choice, self.options = source, target, choice, options

    def translation(self, job: Job, hypotheses: Sequence[Hypothesis], tree: BeamTree | None) -> Translation:
        """The first hypothesis as the translation, the others as its alternatives."""
        others = tuple(self.read(job, hypothesis, None, ()) for hypothesis in hypotheses[1:])
        return self.read(job, hypotheses[0], tree, others)

    def read(self, job: Job, found: Hypothesis, tree: BeamTree | None, others: tuple[Translation, ...]) -> Translation:
        """One hypothesis as a translation."""
        source, target = beside(self.source, job.line), beside(self.target, job.line)
        words = target.decode(found.ids).split()
        weights = None
        copies = self.options.unknown == "copy" and UNK in found.ids
        if found.cross_TS is not None and (self.options.alignment or copies):
            layout = Words.of(self.target, found.ids, words)
            weights = self.choice.words(found.cross_TS, job.layout(self.source), layout)
            if copies:
                words = self.replaced(words, found.ids, layout.word_of_piece, weights, job.words)
                # An entry of the lexicon may be several words, which all looked where the unknown one did.
                weights = np.repeat(weights, [max(1, len(word.split())) for word in words], axis=0)
                words = " ".join(words).split()
        shown = weights if self.options.alignment else None
        return Translation(
            source=job.line,
            text=" ".join(words),
            tokens=target.names(found.ids),
            score=found.score,
            log_prob=found.log_prob,
            token_log_probs=found.token_log_probs,
            ids=found.ids,
            source_tokens=source.names(job.ids),
            source_ids=job.ids,
            source_words=job.words,
            target_words=tuple(words),
            weights=shown,
            alignment=[] if shown is None else argmax_links(shown),
            attention=found.attention,
            beam=tree,
            alternatives=others,
            source_cut=job.cut,
            target_cut=found.truncated,
        )

    def replaced(
        self,
        words: list[str],
        ids: Sequence[int],
        word_of_token: Sequence[int],
        weights: Matrix,
        source_words: Sequence[str],
    ) -> list[str]:
        """The words with each unknown one replaced by the source word it looked at most, or its translation."""
        lexicon = self.options.lexicon or {}
        forbidden = [Phrase.parse(word, lowercase=self.target.options.lowercase) for word in self.options.forbid]
        words = list(words)
        for token, word in zip(ids, word_of_token, strict=True):
            if token == UNK and source_words and weights[word].max() > 0:
                copied = source_words[int(weights[word].argmax())]
                unknown, words[word] = words[word], normalise(lexicon.get(copied, copied))
                if not words[word] or any(phrase.stands_in(" ".join(words)) for phrase in forbidden):
                    words[word] = unknown  # what is forbidden is not copied either
        return words
