"""Lines on their way through a search: text to ids and rules before it, hypotheses to translations after it."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from jumok.alignment import argmax_links
from jumok.config import Config
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.constraints import Rules
from jumok.decoding.forbidden import ForbiddenWords
from jumok.decoding.hypothesis import BeamTree, Hypothesis
from jumok.decoding.options import Options
from jumok.decoding.required import RequiredPhrase, RequiredWords, segment
from jumok.decoding.translation import Matrix, Translation
from jumok.decoding.words import Phrase, check_agreement
from jumok.errors import InputError
from jumok.shapes import UNK
from jumok.text.normal import words_of
from jumok.text.tokenizer import Tokenizer

_WIDEST_BEAM = 40


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


def longest_input(config: Config) -> int:
    """How many tokens (without EOS) a line may have: what the model was trained for."""
    return min(config.data.max_length, longest_possible(config))


def longest_possible(config: Config) -> int:
    """How many tokens the model can take at all: learned positions and the location score end somewhere."""
    model = config.model
    limits = [
        model.decoder.max_positions - 1
        for limited in (
            model.encoder.kind == "transformer" and model.encoder.positions == "learned",
            model.decoder.kind == "transformer" and model.decoder.positions == "learned",
            "location" in (model.decoder.attention, model.decoder.attention_options.get("score")),
        )
        if limited
    ]
    return min(limits, default=1_000_000)


def make_job(line: str, tokenizer: Tokenizer, longest: int) -> Job:
    """The job of a line, without constraints of its own."""
    ids = tokenizer.encode(line)
    return Job(line, tuple(words_of(line)), tuple(ids[:longest]), max(0, len(ids) - longest))


class RuleMaker:
    """Rules for batches of jobs that write with one vocabulary."""

    def __init__(self, config: Config, source: Tokenizer, target: Tokenizer, device: torch.device) -> None:
        self.config, self.source, self.target, self.device = config, source, target, device
        self._forbidden: dict[tuple[str, ...], ForbiddenWords] = {}

    @property
    def knows_unknown(self) -> bool:
        """Whether the vocabulary has an UNK that stands for a word."""
        return self.target.kind == "words" and not self.target.vocabulary.byte_fallback

    def phrase(self, word: str) -> Phrase:
        """A forbidden or required word as the tokenizer writes it."""
        return Phrase.parse(word, lowercase=self.target.options.lowercase)

    def required(self, words: Sequence[str]) -> tuple[RequiredPhrase, ...]:
        """The required phrases, each once."""
        phrases = dict.fromkeys(self.phrase(word) for word in words)
        return tuple(segment(p, self.target.encode(p.text), self.target.vocabulary) for p in phrases)

    def prefix(self, text: str, options: Options) -> tuple[int, ...]:
        """The ids of a forced beginning, which must not contain what is forbidden."""
        for word in options.forbid:
            if self.phrase(word).stands_in(text):
                raise InputError(f"the prefix '{text}' contains '{word}', which is forbidden.")
        return tuple(self.target.encode(text))

    def forbidden(self, words: tuple[str, ...]) -> ForbiddenWords | None:
        """The automaton of the forbidden words; made once."""
        if not words:
            return None
        if words not in self._forbidden:
            self._forbidden = {words: ForbiddenWords([self.phrase(w) for w in words], self.target.vocabulary)}
        return self._forbidden[words]

    def longest(self, job: Job, options: Options) -> int:
        """The longest output of a job, in tokens."""
        if options.max_length is not None:
            return min(options.max_length, longest_possible(self.config))
        longest = longest_input(self.config)
        if self.source.kind == self.target.kind:
            longest = min(longest, 3 * len(job.ids) + 20)
        return min(max(longest, job.needed + 10, options.min_length), longest_possible(self.config))

    def rules(self, jobs: Sequence[Job], options: Options) -> Rules:
        """The rules of a batch."""
        longest = [self.longest(job, options) for job in jobs]
        for job, most in zip(jobs, longest, strict=True):
            if job.needed > most:
                raise InputError(
                    f"the prefix and the required words need {job.needed} tokens, but the output may have {most}; "
                    "raise max_length or ask for less."
                )
        required = None
        if any(job.required for job in jobs):
            check_agreement(
                [self.phrase(word) for word in options.forbid],
                [wanted.phrase for job in jobs for wanted in job.required],
            )
            required = RequiredWords([job.required for job in jobs], self.target.vocabulary)
        longest_B = torch.tensor(longest, device=self.device)
        return Rules(
            longest_B,
            torch.full_like(longest_B, options.min_length),
            allow_unknown=self.knows_unknown and options.unknown != "forbid",
            no_repeat=options.no_repeat,
            prefixes=[job.prefix for job in jobs] if any(job.prefix for job in jobs) else (),
            forbidden=self.forbidden(options.forbid),
            required=required,
        )


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
        target_word_of_token = self.target.word_of_token(found.ids)
        words = self.target.decode(found.ids).split()
        weights = self.weights(job, found, target_word_of_token, len(words))
        if weights is not None and self.options.unknown == "copy":
            words = self.replaced(words, found.ids, target_word_of_token, weights, job.words)
        shown = weights if self.options.alignment else None
        return Translation(
            source=job.line,
            text=" ".join(words),
            tokens=tuple(self.target.token(token) for token in found.ids),
            score=found.score,
            log_prob=found.log_prob,
            token_log_probs=found.token_log_probs,
            ids=found.ids,
            source_tokens=tuple(self.source.token(token) for token in job.ids),
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

    def weights(
        self, job: Job, found: Hypothesis, target_word_of_token: Sequence[int], target_count: int
    ) -> Matrix | None:
        """The attention over words."""
        if found.cross_TS is None:
            return None
        source_word_of_token = self.source.word_of_token(job.ids)
        return self.choice.words(
            found.cross_TS, source_word_of_token, target_word_of_token, len(job.words), target_count
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
        words = list(words)
        for token, word in zip(ids, word_of_token, strict=True):
            if token == UNK and source_words and weights[word].max() > 0:
                copied = source_words[int(weights[word].argmax())]
                words[word] = lexicon.get(copied, copied)
        return words
