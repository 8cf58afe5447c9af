"""The rules of a batch of jobs, from what the user asked for and what the model can take."""

from collections.abc import Sequence

import torch

from jumok.config import SequenceConfig
from jumok.decoding.constraints import Rules
from jumok.decoding.forbidden import ForbiddenBySentence, ForbiddenWords
from jumok.decoding.jobs import Job, knows_unknown, longest_output
from jumok.decoding.options import Options
from jumok.decoding.required import RequiredWords, segment
from jumok.decoding.word_limits import WordLimits
from jumok.decoding.words import Phrase, RequiredPhrase, check_agreement
from jumok.errors import InputError
from jumok.models.reach import Reach
from jumok.shapes import UNK
from jumok.text.normal import normalise, words_of
from jumok.text.slots import BesideTokenizer, beside
from jumok.text.tokenizer import Tokenizer
from jumok.text.vocabulary import UNKNOWN


class RuleMaker:
    """Rules for batches of jobs that write with one vocabulary; its slots are words of each job's own line."""

    def __init__(
        self, config: SequenceConfig, source: Tokenizer, target: Tokenizer, reach: Reach, device: torch.device
    ) -> None:
        self.config, self.source, self.target, self.reach, self.device = config, source, target, reach, device
        self._forbidden: dict[tuple[str, ...], ForbiddenWords] = {}

    @property
    def knows_unknown(self) -> bool:
        """Whether the vocabulary has an UNK that can replace a word."""
        return knows_unknown(self.target)

    def phrase(self, word: str) -> Phrase:
        """A forbidden or required word as the tokenizer writes it."""
        return Phrase.parse(word, lowercase=self.target.options.lowercase)

    def beside(self, line: str) -> Tokenizer:
        """The target's tokenizer for what is written about a line."""
        return beside(self.target, line)

    def required(self, words: Sequence[str], line: str) -> tuple[RequiredPhrase, ...]:
        """The required phrases of a line, each once."""
        phrases, target = dict.fromkeys(self.phrase(word) for word in words), self.beside(line)
        return tuple(segment(p, target.encode(p.text), target.vocabulary) for p in phrases)

    def prefix(self, text: str, line: str, options: Options) -> tuple[int, ...]:
        """The ids of a forced beginning, which must not contain what is forbidden."""
        written = normalise(text.lower() if self.target.options.lowercase else text)
        for word in options.forbid:
            if self.phrase(word).stands_in(written):
                raise InputError(f"the prefix '{text}' contains '{word}', which is forbidden.")
        ids = self.beside(line).encode(text)
        if UNK in ids:
            unknown = words_of(written)[self.target.word_of_token(ids)[ids.index(UNK)]]
            raise InputError(f"the prefix word '{unknown}' is not in the model's vocabulary; it cannot be written.")
        return tuple(ids)

    def forbidden(self, words: tuple[str, ...], lines: Sequence[str]) -> ForbiddenWords | ForbiddenBySentence | None:
        """The automaton of the forbidden words, made once; lines that have such a word in a slot get their own."""
        if not words:
            return None
        phrases = [self.phrase(word) for word in words]
        if words not in self._forbidden:
            self._forbidden = {words: ForbiddenWords(phrases, self.beside("").vocabulary)}
        made: dict[tuple[str, ...], ForbiddenWords] = {(): self._forbidden[words]}
        found: list[ForbiddenWords] = []
        for line in lines:
            target = self.beside(line)
            unknown = named_in(phrases, target)
            if unknown not in made:
                made[unknown] = ForbiddenWords(phrases, target.vocabulary)
            found.append(made[unknown])
        return ForbiddenBySentence(found) if len(made) > 1 else made[()]

    def repeatable(self, words: Sequence[str], line: str) -> list[int]:
        """The tokens of words that may be repeated about a line."""
        target = self.beside(line)
        return sorted({token for word in words for token in target.encode(word)} - {UNK})

    def longest(self, job: Job, options: Options) -> int:
        """The longest output of a job, in tokens."""
        return longest_output(job, options, self.config, self.source, self.target, self.reach)

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
            repeatable=[self.repeatable(options.repeatable, job.line) for job in jobs] if options.repeatable else (),
            prefixes=[job.prefix for job in jobs] if any(job.prefix for job in jobs) else (),
            forbidden=self.forbidden(options.forbid, [job.line for job in jobs]),
            required=required,
            words=self.word_limits(jobs, options, longest),
        )

    def word_limits(self, jobs: Sequence[Job], options: Options, longest: Sequence[int]) -> WordLimits | None:
        """The limits in words of each job, where they are asked for."""
        if options.length is None:
            return None
        bounds = [options.length.bounds(len(job.words)) for job in jobs]
        begun, fewest = len(words_of(options.prefix)), min(most for _, most in bounds)
        if begun > fewest:
            raise InputError(
                f"the prefix '{options.prefix}' has {begun} words, but the output may have {fewest}; ask for more."
            )
        least_B, most_B = (torch.tensor(side, device=self.device) for side in zip(*bounds, strict=True))
        limits = WordLimits(self.target.vocabulary, least_B, most_B)
        for (least, _), most in zip(bounds, longest, strict=True):
            if least * limits.tokens_per_word > most:
                raise InputError(
                    f"{least} words do not fit into {most} tokens, the most that this model writes; ask for fewer."
                )
        return limits


def named_in(phrases: Sequence[Phrase], target: Tokenizer) -> tuple[str, ...]:
    """The words in the slots of a tokenizer, if a phrase may begin, continue or end in one of them; else none.

    Without any the automaton in which every slot is `<unk>` is right, unless a phrase stands in that.
    """
    unknown = tuple(target.unknown) if isinstance(target, BesideTokenizer) else ()
    parts = [part for phrase in phrases for part in phrase.text.split()]
    named = any(part in word for part in parts for word in (*unknown, UNKNOWN))
    return unknown if named else ()
