"""`jumok run calibrate`: how often a run is right where it is so and so sure, measured on validation text and kept."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from jumok.config import TranslationConfig
from jumok.data.corpus import pairs_of
from jumok.decoding.confidence import believed
from jumok.decoding.options import Options
from jumok.decoding.translator import Translator
from jumok.errors import ConfigError, DataError, InputError, RunError
from jumok.evaluation.calibration import FOLDS, Fitted, Reliability, degree, fit, right_words
from jumok.run.calibration import Calibration, write_calibration
from jumok.run.folder import for_text
from jumok.run.lock import owned
from jumok.tasks.translation.prepare import open_corpora, open_run
from jumok.text.normal import words_of

TextPair = tuple[str, str]
MOST = 2000
"""Sentences that a calibration is fitted to, where nothing else is said."""
FEWEST = 20


@dataclass(frozen=True)
class Calibrated:
    """What was fitted to how much of which text."""

    text: str
    beam: int
    sentences: int
    word: Fitted
    sentence: Fitted

    def as_dict(self) -> dict[str, Any]:
        """As JSON: the text and the reliability before and after."""
        kinds = {"word": self.word, "sentence": self.sentence}
        told = {name: {"before": _told(one.before), "after": _told(one.after)} for name, one in kinds.items()}
        return {"text": self.text, "beam": self.beam, "sentences": self.sentences, "reliability": told}


def calibrate(
    translator: Translator,
    pairs: Sequence[TextPair] | None = None,
    *,
    name: str = "the given text",
    size: int = MOST,
    beam: int = 5,
) -> Calibrated:
    """Fits the confidences of a run to pairs of text, or to its validation text, and keeps the curves in its folder."""
    run = translator.run
    config = for_text(run.config, run.path)
    if pairs is None:
        pairs, name = validation_pairs(translator, config, size), "its validation text"
    with owned(run.path):
        found = measure(translator, list(pairs)[:size], name, beam, lowercase=config.text.lowercase)
        write_calibration(run.path, Calibration(run.sha256, found.word.curve, found.sentence.curve, found.as_dict()))
    return found


def validation_pairs(translator: Translator, config: TranslationConfig, size: int) -> list[TextPair]:
    """The validation text of a run: what lies in its folder, or what its config names and still exists."""
    try:
        kept: Any = open_run(translator.run.path, config).dev_text
    except RunError:
        kept = _named(config)
    if kept is None:
        raise InputError(f"{translator.run.path} has no validation text; name text with --source and --reference.")
    return [(pair.source, pair.target) for pair in islice(kept, size)]


def _named(config: TranslationConfig) -> Any:
    if config.task != "translation":
        return None  # other tasks embed other corpora
    try:
        dev = open_corpora(config.data).dev
    except (DataError, ConfigError):
        return None
    return None if dev is None else pairs_of(dev)


def measure(
    translator: Translator, pairs: Sequence[TextPair], text: str, beam: int, *, lowercase: bool = False
) -> Calibrated:
    """The curves of pairs of text, with their reliability."""
    if len(pairs) < FEWEST:
        raise InputError(f"a calibration needs at least {FEWEST} sentences, not {len(pairs)}.")
    translations = translator.translate([source for source, _ in pairs], options=Options(beam=beam, alignment=False))
    words: list[tuple[float, float, int]] = []
    sentences: list[tuple[float, float, int]] = []
    for number, (found, (_, target)) in enumerate(zip(translations, pairs, strict=True)):
        reference = words_of(target.lower() if lowercase else target)
        belief, right = believed(found, translator.run.target_tokenizer), right_words(found.target_words, reference)
        sentences.append((belief.sentence, degree(right, reference), number % FOLDS))
        words += [(one, float(good), number % FOLDS) for one, good in zip(belief.words or (), right, strict=False)]
    return Calibrated(text, beam, len(pairs), _fit(words), _fit(sentences))


def _fit(observed: Sequence[tuple[float, float, int]]) -> Fitted:
    if not observed:
        raise InputError("there is nothing to fit a calibration to: no translation has a word; train the run longer.")
    confidences, outcomes, folds = zip(*observed, strict=True)
    return fit(confidences, outcomes, folds)


def _told(curve: Reliability) -> dict[str, Any]:
    facts = {"count": curve.count, "confidence": curve.mean("mean"), "right": curve.mean("rate")}
    return {"error": curve.error, **facts, "bins": [asdict(one) for one in curve.bins]}
