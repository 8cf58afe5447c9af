"""A trained captioning run at work: `jumok.load(RUN).caption(picture)`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jumok.arguments import shown
from jumok.data.images import Picture
from jumok.decoding.intake import PictureIntake, fitted, image_frontend
from jumok.decoding.options import Options, checked_options
from jumok.decoding.run import Run, load_run
from jumok.decoding.torch_engine import TorchEngine
from jumok.decoding.translation import Translation, attention_dict
from jumok.decoding.translator import Translator
from jumok.errors import InputError
from jumok.inspect.inspector import Inspector
from jumok.inspect.sight import Given
from jumok.models.layout import Grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jumok.tasks.captioning.evaluating import CaptionEvaluation


@dataclass(frozen=True, eq=False)
class Caption:
    """What was written about a picture, and where each word looked. It prints as its text."""

    text: str
    words: tuple[str, ...]
    weights: np.ndarray | None
    """[words, rows, columns]; None for a model without attention."""
    layout: Grid
    pixels_HW3: np.ndarray
    """The picture as the model saw it."""
    name: str
    found: Translation
    """Everything the search found: tokens, log-probabilities, attention, n-best."""

    @property
    def score(self) -> float:
        """What the search ranked by."""
        return self.found.score

    @property
    def log_prob(self) -> float:
        """The log-probability of the caption."""
        return self.found.log_prob

    @property
    def alternatives(self) -> "tuple[Caption, ...]":
        """The other hypotheses of the n best."""
        return tuple(caption_of(one, self.layout, self.pixels_HW3, self.name) for one in self.found.alternatives)

    @property
    def matrix(self) -> np.ndarray | None:
        """The weights [words, regions], as the pictures of attention take them."""
        return None if self.weights is None else self.weights.reshape(len(self.words), self.layout.count)

    def as_dict(self) -> dict[str, Any]:
        """What `jumok caption --json` prints; the values of the grid are exact to what float32 is worth."""
        tree: dict[str, Any] = {
            "picture": self.name,
            "text": self.text,
            "words": list(self.words),
            "score": self.score,
            "log_prob": self.log_prob,
            "token_log_probs": list(self.found.token_log_probs),
            "layout": self.layout.as_json(),
        }
        if self.weights is not None:
            tree["weights"] = [[[float(f"{x:.9g}") for x in row] for row in grid] for grid in self.weights.tolist()]
        if self.found.attention is not None:
            tree["attention"] = attention_dict(self.found.attention)
        if self.found.beam is not None:
            tree["beam"] = [vars(node) for node in self.found.beam.nodes]
        if self.alternatives:
            tree["alternatives"] = [{"text": one.text, "score": one.score} for one in self.alternatives]
        return tree

    def figure(self, title: str | None = None, *, smooth: bool = False) -> "Figure | None":
        """The picture once per word with its attention, as in Xu et al. (2015); None without attention."""
        from jumok.alignment.regions import regions_figure

        if self.matrix is None or not self.words:
            return None
        return regions_figure(self.matrix, self.layout, self.words, title, self.pixels_HW3 / 255, smooth)

    def terminal(self, width: int = 100) -> str | None:
        """The same in 24-bit colours of a terminal."""
        from jumok.alignment.half_blocks import render_words

        if self.matrix is None or not self.words:
            return None
        return render_words(self.matrix, self.layout, self.words, self.pixels_HW3, width=width)

    def _repr_svg_(self) -> str | None:
        from jumok.figure import to_svg

        drawn = self.figure(self.text)
        return None if drawn is None else to_svg(drawn)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Caption({self.text!r}, score={self.score:.3f}, picture={self.name!r})"


def caption_of(found: Translation, grid: Grid, pixels_HW3: np.ndarray, name: str) -> Caption:
    """The caption that a search found."""
    weights = None if found.weights is None else found.weights.reshape(-1, grid.rows, grid.columns)
    return Caption(found.text, found.target_words, weights, grid, pixels_HW3, name, found)


def for_pictures(options: Options | None) -> Options:
    """The options, which must not ask for a share of the source's words: a picture has none."""
    options = checked_options(options)
    if options.length is not None and options.length.ratio:
        raise InputError("the length of a caption is given in words, such as 5..12; a picture has none to share.")
    return options


class CaptionModel:
    """A model that describes pictures; search, constraints, sampling and ensembles are the translator's."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.run = runs[0]
        self.frontend = image_frontend(runs[0])
        for other in runs[1:]:
            image_frontend(other)  # a member that reads words is refused
        self.translator = Translator([TorchEngine(runs, PictureIntake())])

    @property
    def config(self) -> Any:
        """The run's config."""
        return self.run.config

    @cached_property
    def inspector(self) -> Inspector:
        """For a closer look: replay, steps by named terms, edits, effects."""
        return Inspector(self.run)

    def seen(self, picture: Given) -> np.ndarray:
        """uint8 [side, side, 3]: the picture as the model sees it."""
        return fitted(self.run, Picture.of(picture))

    def caption(
        self, picture: Given, beam: int = 5, *, nbest: int = 1, attention: bool = False, options: Options | None = None
    ) -> Caption:
        """The caption of a picture.

        picture     a file name, the bytes of a file, or uint8 pixels [H, W, 3]
        beam        hypotheses followed; 1 is greedy
        nbest       captions given, the others as `alternatives` of the best
        attention   keep the attention of every layer and head
        options     every choice of the search (`jumok.decoding.options.Options`); replaces all other arguments
        """
        options = options or Options(beam=max(beam, nbest), nbest=nbest, attention=attention)
        return next(self.caption_stream([picture], options))

    def caption_all(self, pictures: Sequence[Given], options: Options | None = None) -> list[Caption]:
        """The caption of each picture."""
        return list(self.caption_stream(pictures, options))

    def evaluate(
        self,
        pictures: "Sequence[Given] | None" = None,
        references: Sequence[Sequence[str]] = (),
        *,
        split: str = "test",
        size: int = 500,
        beam: int = 5,
        effects: int = 0,
        plain: bool = False,
    ) -> "CaptionEvaluation":
        """BLEU-1…4, ROUGE-L, CIDEr-D and exact captions; for drawn scenes also pointing, energy and effects.

        pictures    what is described; scenes of the picturebook's `split` (`size` of them) if not given
        references  the captions of each picture, one or several
        beam        hypotheses followed; 1 is greedy
        effects     scenes on which the effect of erasing what a word attends to is measured
        plain       compare lower-cased text without punctuation, as papers do
        """
        from jumok.tasks.captioning.evaluating import evaluate_pictures, evaluate_scenes

        name = self.run.name
        if pictures is None:
            return evaluate_scenes(self, split, size, name=name, beam=beam, effects=effects)
        return evaluate_pictures(self, pictures, references, name=name, beam=beam, plain=plain)

    def caption_stream(
        self, pictures: Iterable[Given], options: Options | None = None, *, window: int = 64
    ) -> Iterator[Caption]:
        """The caption of each picture in order, in memory that does not grow with their number."""
        if isinstance(pictures, str | bytes | Path) or not isinstance(pictures, Iterable):
            raise InputError(f"a list of pictures is needed, such as ['photo.png'], not {shown(pictures)}.")
        options, waiting = for_pictures(options), list[Picture]()

        def remembered() -> Iterator[Picture]:
            for given in pictures:
                waiting.append(Picture.of(given))
                yield waiting[-1]

        for found in self.translator.answer_stream(remembered(), options, window=window):
            picture = waiting.pop(0)
            yield caption_of(found, self.frontend.grid, self.seen(picture), picture.name)


def load(path: str | Path, device: str = "cpu", *, ensemble: Sequence[str | Path] = ()) -> CaptionModel:
    """The model of a run folder; `ensemble`: other runs of the same vocabulary whose probabilities are averaged."""
    return CaptionModel([load_run(one, device) for one in (path, *ensemble)])
