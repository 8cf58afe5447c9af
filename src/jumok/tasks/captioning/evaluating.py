"""What captions of a trained run are worth: scores against references, and for drawn scenes where its words look."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jumok.arguments import check_words
from jumok.data.picturebook import Caption as Gold
from jumok.data.picturebook import Scene, caption_of, draw, generate, outlines
from jumok.decoding.options import Options
from jumok.evaluation.captions import CaptionScores, plain_words, score_captions
from jumok.evaluation.regions import RegionTally, WordEffect, effects_of, summarise_effects
from jumok.inspect.what_if import Plan

if TYPE_CHECKING:
    from jumok.tasks.captioning.model import Caption, CaptionModel


@dataclass(frozen=True)
class CaptionEvaluation:
    """The scores of one run on one test set."""

    name: str
    test: str
    scores: CaptionScores
    plain: bool = False
    """Texts were compared lower-cased and without punctuation."""
    exact_by_things: dict[int, float] = field(default_factory=dict)
    """Exact captions in per cent, by the number of things in the scene."""
    regions: dict[str, dict[str, float]] = field(default_factory=dict)
    """Pointing and energy of the words of right captions, for all and by word class."""
    effects: dict[str, dict[str, Any]] = field(default_factory=dict)
    """How much log p of a word falls when what it attends to is erased, and when other regions are."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


def evaluate_pictures(
    model: "CaptionModel",
    pictures: Iterable[Any],
    references: Sequence[Sequence[str]],
    *,
    name: str,
    test: str = "given",
    beam: int = 5,
    plain: bool = False,
) -> CaptionEvaluation:
    """Scores on pictures of one's own; `plain` compares lower-cased text without punctuation, as papers do."""
    for number, row in enumerate(references, start=1):
        check_words(f"the captions of picture {number}", row)
    texts = [one.text for one in model.caption_stream(pictures, Options(beam=beam))]
    known = [list(row) for row in references]
    if not plain and not model.config.text.lowercase:
        return CaptionEvaluation(name, test, score_captions(texts, known))
    texts, known = [plain_words(text) for text in texts], [[plain_words(one) for one in row] for row in known]
    return CaptionEvaluation(name, test, lower_cased(score_captions(texts, known)), plain=True)


def lower_cased(scores: CaptionScores) -> CaptionScores:
    """The scores of texts that were lower-cased before sacreBLEU saw them, with the signature that says so."""
    return replace(scores, signature=scores.signature.replace("case:mixed", "case:lc"))


def evaluate_scenes(
    model: "CaptionModel", split: str, size: int, *, name: str, beam: int = 5, effects: int = 0
) -> CaptionEvaluation:
    """Scores on scenes of the picturebook, with what their gold knowledge tells."""
    language = model.config.data.picturebook
    scenes = list(generate(split, size))
    gold = [as_written(caption_of(scene, language), model.config.text.lowercase) for scene in scenes]
    found = list(model.caption_stream(draw(scenes), Options(beam=beam)))
    scores = score_captions([one.text for one in found], [[one.text] for one in gold])
    tally, lost = RegionTally(), list[tuple[str, WordEffect]]()
    for one, right, scene in zip(found, gold, scenes, strict=True):
        if one.text == right.text and one.weights is not None:
            tally.add(one.weights, right.things, right.classes, outlines(scene))
            if effects:
                effects -= 1
                lost += word_effects(model, one, right)
    return CaptionEvaluation(
        name, f"picturebook {language} {split}", scores, exact_by_things=exact_by_things(found, gold, scenes),
        regions=tally.result(), effects=summarise_effects(lost),
    )  # fmt: skip


def as_written(gold: Gold, lowercase: bool) -> Gold:
    """The caption as a model writes it that may have learned from lower-cased text."""
    return gold._replace(words=tuple(word.lower() for word in gold.words)) if lowercase else gold


def exact_by_things(found: "Sequence[Caption]", gold: Sequence[Gold], scenes: Sequence[Scene]) -> dict[int, float]:
    """The share of exact captions in per cent for each number of things."""
    rows: dict[int, list[bool]] = {}
    for one, right, scene in zip(found, gold, scenes, strict=True):
        rows.setdefault(len(scene.things), []).append(one.text == right.text)
    return {number: 100 * sum(row) / len(row) for number, row in sorted(rows.items())}


def word_effects(model: "CaptionModel", one: "Caption", gold: Gold) -> list[tuple[str, WordEffect]]:
    """The effect of erasing what each word looked at, with the word's class; words of several tokens are summed."""
    ids, inspector = one.found.ids, model.inspector
    words = model.run.target_tokenizer.word_of_token(ids)

    def log_probs(pixels_NHW3: np.ndarray) -> np.ndarray:
        sights = [inspector.look_at(pixels) for pixels in pixels_NHW3]
        rows = [inspector.replay(Plan(sight), ids).log_probs[:-1] for sight in sights]
        return np.stack([np.bincount(words, row, minlength=len(one.words)) for row in rows])

    assert one.weights is not None
    content = [n for n, things in enumerate(gold.things) if things]
    effects = effects_of(one.pixels_HW3, one.weights, log_probs)
    return [(gold.classes[n], effects[n]) for n in content]
