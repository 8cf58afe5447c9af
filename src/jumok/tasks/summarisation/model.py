"""A trained summarisation run at work: summarises, and says which words it copied and which sentences it skipped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jumok.arguments import lines_of, shown
from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, EngineName, open_engine
from jumok.errors import InputError
from jumok.text.sentences import sentences_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jumok.evaluation.rouge import Tokenisation
    from jumok.evaluation.summaries import SummaryEvaluation


FOLDED_FROM = 30
"""A text of fewer words is drawn whole."""


@dataclass(frozen=True, eq=False)
class Summary:
    """A summary, and where it comes from. It prints as its text; a notebook shows the alignment."""

    text: str
    words: tuple[str, ...]
    copied: tuple[bool, ...]
    """For each word whether the source has it too."""
    looked: tuple[float, ...]
    """For each sentence of the source, or part that was given, its share of the attention."""
    source_cut: int
    """Tokens of the source that were not read, because the model was trained for fewer."""
    score: float
    source_words: tuple[str, ...] = ()
    sentences: tuple[int, ...] = ()
    """How many words each sentence or part has."""
    weights: NDArray[np.floating] | None = None
    """The attention [word of the summary, word of the text]; None for a model without attention."""

    def as_dict(self) -> dict[str, Any]:
        """What `jumok summarise --json` prints."""
        names = ("text", "words", "copied", "looked", "source_cut", "score")
        return {name: getattr(self, name) for name in names}

    def figure(self, title: str | None = None) -> "Figure | None":
        """The alignment, words shown where attention falls and the others folded; None without attention."""
        from jumok.alignment.folding import LEAST, fold
        from jumok.alignment.plot import folded_figure

        if self.weights is None or not self.words or not self.source_words:
            return None
        least = LEAST if len(self.source_words) >= FOLDED_FROM else 0.0
        folded = fold(self.weights, self.source_words, self.sentences, least=least)
        return folded_figure(folded, self.words, title)

    def svg(self, title: str | None = None) -> str | None:
        """The same as SVG."""
        from jumok.figure import to_svg

        drawn = self.figure(title)
        return None if drawn is None else to_svg(drawn)

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Summary({self.text!r}, score={self.score:.3f})"


def _sentences(text: str | Sequence[str]) -> list[str]:
    """The sentences of a text, or its paragraphs as they were given; each checked."""
    lines = lines_of(text)
    return sentences_of(lines[0]) if isinstance(text, str) else lines


class SummarisationModel(Translator):
    """A model that summarises; everything that a translator can do, it can do too."""

    @property
    def attends(self) -> bool:
        """Whether the decoder attends to the text, so that words can be aligned; a head may copy without that."""
        return self.run.config.model.decoder.attends

    def summarise(self, text: str | Sequence[str], *, options: Options | None = None) -> Summary:
        """The summary of a text.

        text      a text, or a list of its sentences or paragraphs
        options   beam, length and more (`jumok.decoding.options.Options`)
        """
        return self.summarise_all([text], options=options)[0]

    def summarise_all(self, texts: Sequence[str | Sequence[str]], *, options: Options | None = None) -> list[Summary]:
        """The summary of each text."""
        if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
            raise InputError(f"texts are needed, such as a list of them, not {shown(texts)}.")
        parts = [_sentences(text) for text in texts]
        lines = [" ".join(" ".join(part.split()) for part in one) for one in parts]
        found = self.translate(lines, options=options or Options())
        return [summary_of(one, part) for one, part in zip(found, parts, strict=True)]

    def evaluate(
        self,
        texts: Sequence[str] | None = None,
        references: Sequence[str] = (),
        *,
        size: int = 500,
        beam: int = 4,
        tokenisation: "Tokenisation | None" = None,
        samples: int = 1000,
    ) -> "SummaryEvaluation":
        """ROUGE with intervals beside lead, random and oracle sentences; novelty, copying and repetition.

        texts          what is summarised; the newsbook's test reports (`size` of them) if not given
        references     a summary for each text
        beam           hypotheses followed; 1 is greedy
        tokenisation   stemmed, words, characters or morphemes; one that suits the script if not given
        samples        bootstrap samples of the intervals
        """
        from jumok.tasks.summarisation.test_sets import given_test, measured, own_test

        test = own_test(self.run.config, size) if texts is None else given_test(texts, references)
        return measured({self.run.name: self}, test, beam, tokenisation, samples)


def summary_of(found: Translation, parts: Sequence[str]) -> Summary:
    """A summary from what the search found; attention is added up over the sentences or parts that were given."""
    source, count = set(found.source_words), len(found.source_words)
    ends = [min(end, count) for end in accumulate((len(part.split()) for part in parts), initial=0)]
    looked = [
        0.0 if found.weights is None else float(found.weights[:, start:end].sum()) for start, end in pairwise(ends)
    ]
    total = sum(looked) or 1.0
    return Summary(
        found.text,
        found.target_words,
        tuple(word in source for word in found.target_words),
        tuple(x / total for x in looked),
        found.source_cut,
        found.score,
        found.source_words,
        tuple(end - start for start, end in pairwise(ends)),
        found.weights,
    )


def load(
    path: str | Path, device: str = "cpu", *, engine: EngineName = "torch", ensemble: Sequence[str | Path] = ()
) -> SummarisationModel:
    """The model of a run folder; `engine` and `ensemble` as for translation."""
    return SummarisationModel([open_engine(path, device, EngineChoice(engine), ensemble)])
