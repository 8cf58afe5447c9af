"""The model at work: `jumok.load("runs/demo").translate("…")`.

A translator takes text and gives text. The search between is done by an engine: the first that can do what the options
need, else the readable one over torch, which can do everything. torch is imported when that engine is first needed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from jumok.arguments import check_finite, each_line, lines_of, pairs_of, shown
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.engine import Engine
from jumok.decoding.jobs import Job, Reader
from jumok.decoding.opened import OpenedRun
from jumok.decoding.options import Options, checked_options, chosen_options
from jumok.decoding.outcome import BeamTree, Hypothesis
from jumok.decoding.translation import PairAlignment, PairScore, Translation
from jumok.errors import InputError, RunError

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from jumok.decoding.torch_engine import TorchEngine
    from jumok.models.seq2seq import Seq2Seq

Pairs = Sequence[tuple[str, str]]
Lines = list[str] | tuple[str, ...]
WINDOW = 1024


class Translator:
    """A trained model with its tokenizers: translates, aligns, scores and encodes."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        """`engines` of the same run, in the order in which they are asked whether they can do what is wanted."""
        self.engines = list(engines)

    @property
    def run(self) -> OpenedRun:
        """The run that translates."""
        return self.engines[0].runs[0]

    @property
    def choice(self) -> AlignmentChoice:
        """Which attention is read as the word alignment."""
        return self.run.choice

    @cached_property
    def readable(self) -> "TorchEngine":
        """The engine over torch, in which everything can be seen and changed; loaded when first needed."""
        from jumok.decoding.run import load_run
        from jumok.decoding.torch_engine import TorchEngine

        for engine in self.engines:
            if isinstance(engine, TorchEngine):
                return engine
        run = load_run(self.run.path)
        if run.sha256 != self.run.sha256:
            raise RunError(f"{self.run.path} has changed since it was opened; open it again.")
        return TorchEngine([run])

    @property
    def model(self) -> "Seq2Seq":
        """The model as a torch module."""
        return self.readable.run.model

    @property
    def device(self) -> "torch.device":
        """Where the model computes."""
        return self.readable.device

    def engine_for(self, options: Options) -> Engine:
        """The first engine that can do all that the options need; the readable one can do everything."""
        able = (engine for engine in self.engines if engine.abilities.cover(options))
        return next(able, None) or self.readable

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

        text        a line, or a list of lines
        beam        hypotheses followed; 1 is greedy
        nbest       hypotheses given, the others as `alternatives` of the best
        attention   keep the attention of every layer and head
        tree        keep the whole beam, with the hypotheses that were pruned
        prefix      how the translation begins
        forbid      words and phrases that it must not have
        require     words and phrases that it must have
        options     every choice there is (`jumok.decoding.options.Options`); replaces all other arguments
        """
        options = chosen_options(options, beam, nbest, attention, tree, prefix, forbid, require)
        found = list(self.translate_stream(lines_of(text), options))
        run = self.engine_for(options).visible
        found = found if run is None else [replace(one, run=run) for one in found]
        return found[0] if isinstance(text, str) else found

    def translate_stream(
        self, lines: Iterable[str], options: Options | None = None, *, window: int = WINDOW
    ) -> Iterator[Translation]:
        """The translation of each line in order, in memory that does not grow with their number.

        Lines are taken a window at a time; within it those of similar length are translated together.
        """
        return self.answer_stream(each_line(lines), options, window=window)

    def answer_stream(
        self, inputs: Iterable[Any], options: Options | None = None, *, window: int = WINDOW
    ) -> Iterator[Translation]:
        """What is written for each input in order: lines of text, or whatever else the engine reads."""
        options = checked_options(options)
        engine, rest = self.engine_for(options), iter(inputs)
        while taken := list(islice(rest, max(1, window))):
            yield from self._answer_window(engine, taken, options)

    def _answer_window(self, engine: Engine, inputs: Sequence[Any], options: Options) -> list[Translation]:
        """Some inputs, in their order; empty ones stay empty."""
        found = [Translation.empty(str(given), attention=options.attention, tree=options.tree) for given in inputs]
        reader = Reader(self.run.source_tokenizer, self.run.target_tokenizer, self.choice, options)

        def read(number: int, job: Job, hypotheses: Sequence[Hypothesis], tree: BeamTree | None) -> None:
            found[number] = reader.translation(job, hypotheses, tree)

        engine.search(inputs, options, read)
        return found

    # ------------------------------------------------------------ given pairs

    def align(
        self,
        pairs: Pairs,
        *,
        choice: AlignmentChoice | None = None,
        threshold: float | None = None,
    ) -> list[PairAlignment]:
        """The word alignment of each given pair by forced decoding.

        pairs       a source and a target line each
        choice      the layer and heads that are read; the run's own if not given
        threshold   link all weights above it; without it each target word is linked to where it looked most
        """
        from jumok.decoding.given_pairs import align_pairs

        choice = self._checked_choice(choice)
        if threshold is not None:
            check_finite("the link threshold", threshold)
        return align_pairs(self.readable.run, pairs_of(pairs), choice, threshold)

    def _checked_choice(self, choice: AlignmentChoice | None) -> AlignmentChoice:
        """The given choice of layer and heads, or the run's own."""
        if choice is None:
            return self.choice
        if not isinstance(choice, AlignmentChoice):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"choice must be an AlignmentChoice, not {shown(choice)}.")
        return choice

    def score(self, pairs: Pairs) -> list[PairScore]:
        """The log-probability of each given translation, token by token.

        pairs   a source line and its translation each
        """
        from jumok.decoding.given_pairs import score_pairs

        return score_pairs(self.readable.run, pairs_of(pairs))

    # ------------------------------------------------------------ a closer look

    def encode(self, text: str | Lines) -> "NDArray[np.float32]":
        """The sentence vector [D] of a line, or [N, D] of a list of lines.

        text   a line, or a list of lines
        """
        from jumok.decoding.sentence_vectors import encode_lines

        vectors = encode_lines(self.readable.run, lines_of(text))
        return vectors[0] if isinstance(text, str) else vectors
