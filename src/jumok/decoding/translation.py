"""What translating, aligning and scoring give: values that print as text and draw themselves in a notebook."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jumok.alignment import Link, to_pharaoh
from jumok.decoding.outcome import BeamTree, SentenceAttention

if TYPE_CHECKING:
    from jumok.decoding.run import Run

Matrix = NDArray[np.floating]
Drawer = Callable[["Translation"], str | None]
_drawers: list[Drawer] = []


def draw_in_notebooks(drawer: Drawer) -> None:
    """Lets notebooks show what `drawer` makes of a translation (HTML, or None where it cannot)."""
    _drawers[:] = [drawer]


@dataclass(frozen=True, eq=False)
class Translation:
    """One translated line. It prints as its text; a notebook shows the alignment."""

    source: str
    text: str
    tokens: tuple[str, ...]
    score: float
    """The log-probability with length and coverage penalties: what the search ranked by."""
    log_prob: float
    token_log_probs: tuple[float, ...]
    """One a token and one for the end of the sentence."""
    ids: tuple[int, ...]
    source_tokens: tuple[str, ...]
    source_ids: tuple[int, ...]
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    weights: Matrix | None
    """The attention over words [target, source]; None for a model without attention, or where not asked for."""
    alignment: list[Link]
    """(source word, target word) for each target word's largest weight."""
    attention: SentenceAttention | None = None
    """Every layer and head, when asked for."""
    beam: BeamTree | None = None
    """The whole beam, when asked for."""
    alternatives: tuple["Translation", ...] = ()
    """The other hypotheses of the n best, the next best first."""
    source_cut: int = 0
    """How many source tokens were left out because the line is longer than the model was trained for."""
    target_cut: bool = False
    """The output was ended at its longest allowed length."""
    run: "Run | None" = None
    """The model that wrote it, for a closer look; not copied along to other processes."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "run": None}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score={self.score:.3f}, source={self.source!r})"

    def _repr_html_(self) -> str | None:
        return _drawers[0](self) if _drawers else None

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def svg(self, title: str | None = None) -> str | None:
        """The alignment matrix as SVG, or None where there is no attention."""
        from jumok.alignment.plot import alignment_svg

        if self.weights is None or not self.target_words or not self.source_words:
            return None
        return alignment_svg(self.weights, self.source_words, self.target_words, title=title, rest=True)

    def as_dict(self) -> dict[str, Any]:
        """What `jumok translate --json` prints."""
        tree: dict[str, Any] = {
            "source": self.source,
            "text": self.text,
            "tokens": list(self.tokens),
            "score": self.score,
            "log_prob": self.log_prob,
            "token_log_probs": list(self.token_log_probs),
            "source_tokens": list(self.source_tokens),
            "alignment": [list(link) for link in self.alignment],
        }
        if self.attention is not None:
            tree["attention"] = attention_dict(self.attention)
        if self.beam is not None:
            tree["beam"] = [vars(node) for node in self.beam.nodes]
        if self.alternatives:
            tree["alternatives"] = [one.as_dict() for one in self.alternatives]
        return tree

    @classmethod
    def empty(cls, source: str, *, attention: bool = False, tree: bool = False) -> "Translation":
        """The translation of an empty line: an empty line, with nothing where attention and tree are asked for."""
        nowhere = SentenceAttention([], [], []) if attention else None
        bare = BeamTree((), 0) if tree else None
        return cls(source, "", (), 0.0, 0.0, (), (), (), (), (), (), None, [], nowhere, bare)


def attention_dict(attention: SentenceAttention) -> dict[str, Any]:
    """Layers × heads × rows × columns as lists, rounded to what float32 weights are worth."""

    def plain(layers: list[NDArray[np.float32]]) -> list[Any]:
        return [np.round(layer.astype(np.float64), 6).tolist() for layer in layers]

    return {
        "encoder": plain(attention.encoder),
        "decoder": plain(attention.decoder),
        "cross": plain(attention.cross),
    }


@dataclass(frozen=True, eq=False)
class PairAlignment:
    """The word alignment of a given pair; it prints as a Pharaoh line."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    weights: Matrix
    links: list[Link] = field(default_factory=list[Link])
    cut: bool = False
    """The pair is longer than the model can take: words at its end have no weights."""

    def __str__(self) -> str:
        return to_pharaoh(self.links)

    def _repr_svg_(self) -> str | None:
        from jumok.alignment.plot import alignment_svg

        if not self.source_words or not self.target_words:
            return None
        return alignment_svg(self.weights, self.source_words, self.target_words, rest=True)


@dataclass(frozen=True)
class PairScore:
    """How likely the model finds a given translation."""

    log_prob: float
    token_log_probs: tuple[float, ...]
    """One a token and one for the end of the sentence."""
    tokens: tuple[str, ...]
    cut: bool = False
    """The pair is longer than the model can take: its end is not scored."""

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-probability of a token, EOS counted."""
        return math.exp(min(700.0, -self.log_prob / len(self.token_log_probs)))
