"""A trained translation run at work: translates, aligns, scores, encodes, and measures itself.

torch is imported only where the engine needs it.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jumok.alignment import Links
from jumok.arguments import MOST_LINES, check_whole, each_line
from jumok.config import TranslationConfig
from jumok.decoding.confidence import Confidence, believed
from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, EngineName, open_engine
from jumok.errors import InputError
from jumok.run.calibration import Calibration, read_calibration
from jumok.run.folder import for_text

if TYPE_CHECKING:
    from jumok.engine.packing import Precision
    from jumok.evaluation.evaluate import Evaluation
    from jumok.tasks.translation.calibration import Calibrated


class TranslationModel(Translator):
    """A translator that can be measured on a test set."""

    @property
    def config(self) -> TranslationConfig:
        """The run's config; a run of another task is refused."""
        return for_text(self.run.config, self.run.path)

    def evaluate(
        self,
        sources: Sequence[str] | None = None,
        references: Sequence[str] | Sequence[Sequence[str]] = (),
        *,
        gold: Sequence[Links] | None = None,
        size: int = 500,
        beam: int = 5,
        lowercase: bool = False,
        tokenize: str = "13a",
        quick: bool = True,
    ) -> "Evaluation":
        """BLEU, chrF, TER, alignment error and more.

        sources     lines to translate; the phrasebook's test sentences (`size` of them) if not given
        references  a line for each source, or several such lists
        gold        word links between each source and its first reference
        beam        hypotheses followed; 1 is greedy
        lowercase   ignore case
        tokenize    BLEU's tokenizer, as sacreBLEU names it
        quick       scores only; without it exposure bias and gradients over distance are measured too
        """
        from jumok.evaluation.evaluate import evaluate
        from jumok.evaluation.metrics import MetricOptions
        from jumok.tasks.translation.test_sets import given_test_set, own_test_set

        test = own_test_set(self.config, size) if sources is None else given_test_set(sources, references, gold)
        costly: dict[str, Any] = {"losses": 0, "gradients": 0} if quick else {}
        metrics = MetricOptions(lowercase=lowercase, tokenize=tokenize)
        return evaluate(self, test, options=Options(beam=beam), metric_options=metrics, **costly)

    @cached_property
    def calibration(self) -> "Calibration | None":
        """What `calibrate` fitted; None where it did not, and a refusal where the run has other weights now."""
        return read_calibration(self.run.path, self.run.sha256)

    def confidence(self, found: Translation) -> Confidence:
        """How sure the model is of a translation and its words; rates of being right, once it is calibrated."""
        return believed(found, self.run.target_tokenizer).calibrate(self.calibration)

    def calibrate(
        self, sources: Sequence[str] | None = None, references: Sequence[str] = (), *, size: int = 2000, beam: int = 5
    ) -> "Calibrated":
        """Fits confidences to the run's validation text, or to the given text, and keeps the curves in its folder.

        sources, references   lines and their translations; the run's validation text if not given
        size                  sentences that are translated at most
        beam                  hypotheses followed; 1 is greedy
        """
        from jumok.tasks.translation.calibration import calibrate

        check_whole("size", size, 1, MOST_LINES)
        pairs = None if sources is None else text_pairs(sources, references)
        found = calibrate(self, pairs, size=size, beam=beam)
        self.__dict__.pop("calibration", None)
        return found


def text_pairs(sources: Sequence[str], references: Sequence[str]) -> list[tuple[str, str]]:
    """Each line with its reference; empty lines are left out."""
    own, theirs = list(each_line(sources)), list(each_line(references))
    if len(own) != len(theirs):
        raise InputError(f"there are {len(own)} source lines, but {len(theirs)} references.")
    return [pair for pair in zip(own, theirs, strict=True) if pair[0].strip() and pair[1].strip()]


def load(
    path: str | Path,
    device: str = "cpu",
    *,
    engine: EngineName = "torch",
    precision: "Precision" = "float32",
    shortlist: bool = False,
    workers: int = 1,
    ensemble: Sequence[str | Path] = (),
) -> TranslationModel:
    """The model of a run folder.

    path        the run folder
    device      cpu, cuda, cuda:0, …
    engine      torch: everything can be seen and changed; fast: our compiled engine for recurrent models, the same
                translations in float32; ctranslate2: what `jumok export --to ctranslate2` wrote; auto: fast where it
                can, else torch. What another engine cannot do, torch does.
    precision   float32, or int8 for the quick engines: nearly the same translations, sooner
    shortlist   score only the likely words of each sentence (`jumok shortlist`; quick engines)
    workers     batches translated at a time by the quick engines; 0: one per core
    ensemble    other runs whose probabilities are averaged with this one's (torch)
    """
    choice = EngineChoice(engine, precision, shortlist, workers)
    return TranslationModel([open_engine(path, device, choice, ensemble)])
