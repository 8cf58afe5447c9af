"""A translator over a quick engine. What the engine cannot do, the readable one does: loaded when first needed.

The engine searches greedily or with a beam, under length limits, and keeps the attention. Constraints, draws, the tree
of a beam, a coverage penalty, given pairs and traces go to `plain`, the translator over torch; results are of the same
kind, so callers need not know.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, overload

from jumok.arguments import each_line, lines_of
from jumok.decoding.jobs import Job, Reader, knows_unknown, longest_input, longest_output, make_job
from jumok.decoding.options import Options, checked_options, chosen_options
from jumok.decoding.outcome import Hypothesis
from jumok.decoding.translation import PairAlignment, PairScore, Translation
from jumok.engine.structures import WIDEST_BEAM
from jumok.engine.weights import Parts
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.decoding.translator import Translator
    from jumok.models.seq2seq import Seq2Seq

Lines = list[str] | tuple[str, ...]
WINDOW = 1024
# Rows (sentences × beam) that are searched together: enough to use a matrix well, few enough to stay in cache; and how
# many batches a worker gets at least, so that none waits long for another at the end.
ROWS_TOGETHER = 128
BATCHES_EACH, FEWEST = 4, 8


class Engine(Protocol):
    """Something that searches."""

    name: str
    workers: int
    shows_all: bool
    """Whether it gives the attention of every layer and head."""

    def search(
        self,
        sources: Sequence[Sequence[int]],
        longest: Sequence[int],
        options: Options,
        *,
        weights: bool,
        unknown: bool,
    ) -> list[list[Hypothesis]]:
        """The hypotheses of each source of a batch, best first; sources come without EOS."""
        ...

    def map(self, work: Any, batches: Sequence[Any]) -> Iterable[Any]:
        """The results of `work` on each batch, by as many workers as there are."""
        ...


def is_plain_search(options: Options) -> bool:
    """Whether a quick engine can do what is asked for."""
    return (
        options.sampling is None
        and not (options.tree or options.prefix or options.forbid or options.require or options.no_repeat)
        and options.scoring.coverage == 0
        and options.beam <= WIDEST_BEAM
    )


class QuickTranslator:
    """A trained model with its tokenizers, translating with a quick engine."""

    def __init__(self, run: Parts, engine: Engine) -> None:
        self.run, self.engine, self.choice = run, engine, run.choice

    @cached_property
    def plain(self) -> "Translator":
        """The readable translator of the same run, over torch."""
        from jumok.decoding.translator import load

        return load(self.run.path)

    @property
    def model(self) -> "Seq2Seq":
        """The model as a torch module."""
        return self.plain.model

    # ------------------------------------------------------------ translating

    @overload
    def translate(
        self, text: str, beam: int = 5, *, nbest: int = 1, attention: bool = False, tree: bool = False,
        prefix: str | None = None, forbid: Sequence[str] = (), require: Sequence[str] = (),
        options: Options | None = None,
    ) -> Translation: ...  # fmt: skip

    @overload
    def translate(
        self, text: Lines, beam: int = 5, *, nbest: int = 1, attention: bool = False, tree: bool = False,
        prefix: str | None = None, forbid: Sequence[str] = (), require: Sequence[str] = (),
        options: Options | None = None,
    ) -> list[Translation]: ...  # fmt: skip

    def translate(
        self,
        text: str | Lines,
        beam: int = 5,
        *,
        nbest: int = 1,
        attention: bool = False,
        tree: bool = False,
        prefix: str | None = None,
        forbid: Sequence[str] = (),
        require: Sequence[str] = (),
        options: Options | None = None,
    ) -> Translation | list[Translation]:
        """The translation of a line, or of each line of a list in its order.

        `options` holds every choice and replaces all other arguments.
        """
        options = chosen_options(options, beam, nbest, attention, tree, prefix, forbid, require)
        found = list(self.translate_stream(lines_of(text), options))
        return found[0] if isinstance(text, str) else found

    def translate_stream(
        self, lines: Iterable[str], options: Options | None = None, *, window: int = WINDOW
    ) -> Iterator[Translation]:
        """The translation of each line in order, in memory that does not grow with their number."""
        options = checked_options(options)
        if not is_plain_search(options) or (options.attention and not self.engine.shows_all):
            yield from self.plain.translate_stream(lines, options, window=window)
            return
        lines = each_line(lines)
        while taken := list(islice(lines, max(1, window))):
            yield from self._translate_window(taken, options)

    def _translate_window(self, lines: Sequence[str], options: Options) -> list[Translation]:
        """Some lines, in their order; empty ones stay empty."""
        found = [Translation.empty(line, attention=options.attention) for line in lines]

        def translate_batch(numbers: Sequence[int]) -> None:
            for number, one in zip(numbers, self._translate_batch([lines[n] for n in numbers], options), strict=True):
                found[number] = one

        # Tokens are counted by the workers; characters tell nearly as well which lines go together. The longest go
        # first, so that none of them ends last.
        busy = sorted((n for n, line in enumerate(lines) if line.strip()), key=lambda n: -len(lines[n]))
        share = -(-len(busy) // (BATCHES_EACH * self.engine.workers))
        size = max(1, min(ROWS_TOGETHER // options.beam, max(share, FEWEST)))
        batches = [busy[first : first + size] for first in range(0, len(busy), size)]
        for _ in self.engine.map(translate_batch, batches):
            pass
        return found

    def _translate_batch(self, lines: Sequence[str], options: Options) -> list[Translation]:
        """Lines of similar length, by one worker."""
        source, target = self.run.source_tokenizer, self.run.target_tokenizer
        longest = longest_input(self.run.config, self.run.reach)
        jobs = [make_job(line, source, longest) for line in lines]
        reader = Reader(source, target, self.choice, options)
        found = iter(self._search([job for job in jobs if job.ids], options))
        return [
            reader.translation(job, next(found), None)
            if job.ids
            else Translation.empty(line, attention=options.attention)
            for job, line in zip(jobs, lines, strict=True)
        ]

    def _search(self, jobs: Sequence[Job], options: Options) -> list[list[Hypothesis]]:
        if not jobs:
            return []
        config, source, target = self.run.config, self.run.source_tokenizer, self.run.target_tokenizer
        longest = [longest_output(job, options, config, source, target, self.run.reach) for job in jobs]
        if options.min_length > min(longest):
            raise InputError("the shortest allowed output is longer than the longest; lower min_length.")
        unknown = knows_unknown(target)
        weights = options.alignment or options.attention or (unknown and options.unknown == "copy")
        return self.engine.search(
            [job.ids for job in jobs],
            longest,
            options,
            weights=weights,
            unknown=unknown and options.unknown != "forbid",
        )

    # ------------------------------------------------------------ what torch does

    def align(self, pairs: Sequence[tuple[str, str]], **choices: Any) -> list[PairAlignment]:
        """The word alignment of each given pair by forced decoding."""
        return self.plain.align(pairs, **choices)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """The log-probability of each given translation, token by token."""
        return self.plain.score(pairs)

    def encode(self, text: str | Lines) -> Any:
        """The sentence vector [D] of a line, or [N, D] of a list of lines."""
        return self.plain.encode(text)

    def trace(self, text: str, **choices: Any) -> Any:
        """The line decoded greedily and in slow motion, under a change."""
        return self.plain.trace(text, **choices)

    def removal_effects(self, text: str, target_ids: Sequence[int]) -> Any:
        """How much each target token (and EOS) loses without each source word."""
        return self.plain.removal_effects(text, target_ids)
