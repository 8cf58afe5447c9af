"""What can be measured of a translator."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jumok.alignment import Links
from jumok.decoding.options import Options

if TYPE_CHECKING:
    from jumok.evaluation.evaluate import Evaluation


class Measured:
    """What can be measured of a translator, over whichever engine."""

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

        translator: Any = self
        test = (
            own_test_set(translator.run.config, size) if sources is None else given_test_set(sources, references, gold)
        )
        costly: dict[str, Any] = {"losses": 0, "gradients": 0} if quick else {}
        metrics = MetricOptions(lowercase=lowercase, tokenize=tokenize)
        return evaluate(translator, test, options=Options(beam=beam), metric_options=metrics, **costly)
