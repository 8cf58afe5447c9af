"""BLEU, chrF and TER, computed by sacreBLEU and reported with its signatures, so that others can compare.

BLEU is Papineni et al. (2002), chrF Popović (2015), TER Snover et al. (2006), all as in Post (2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sacrebleu.metrics import bleu, chrf, ter
from sacrebleu.metrics.base import Metric as Scorer
from sacrebleu.utils import SACREBLEU_DIR

from jumok.errors import ConfigError, DataError, UnknownNameError, did_you_mean
from jumok.metric import BLEU, CHRF, TER, Metric

METRICS: dict[str, Metric] = {metric.name: metric for metric in (BLEU, CHRF, TER)}

References = Sequence[str] | Sequence[Sequence[str]]
"""One reference per sentence, or several such lists (each as long as the corpus)."""


@dataclass(frozen=True)
class MetricOptions:
    """How texts are prepared; the defaults are sacreBLEU's.

    `lowercase` holds for BLEU and chrF (TER ignores case unless `ter_case_sensitive`); `tokenize` is BLEU's
    tokenizer (`13a`, `intl`, `char`, `zh`, `ja-mecab`, `ko-mecab`, `none`, …); `chrf_word_order=2` is chrF++.
    """

    lowercase: bool = False
    tokenize: str = "13a"
    chrf_word_order: int = 0
    ter_case_sensitive: bool = False


@dataclass(frozen=True)
class MetricScore:
    """A corpus-level value (0–100; TER may be above) and the signature it must be quoted with."""

    metric: str
    value: float
    signature: str
    text: str
    """The line sacreBLEU itself would print, with the precisions and the brevity penalty of BLEU."""


@dataclass(frozen=True)
class CorpusScores:
    """All three metrics of one system on one corpus."""

    bleu: MetricScore
    chrf: MetricScore
    ter: MetricScore
    sentences: int

    def as_dict(self) -> dict[str, Any]:
        """`bleu`, `chrf`, `ter`, `sentences` and `signature` (one for each metric), ready for JSON."""
        scores = {"bleu": self.bleu, "chrf": self.chrf, "ter": self.ter}
        values: dict[str, Any] = {name: score.value for name, score in scores.items()}
        signatures = {name: score.signature for name, score in scores.items()}
        return values | {"sentences": self.sentences, "signature": signatures}


def build_metric(name: str, options: MetricOptions, *, for_sentences: bool = False) -> Scorer:
    """sacreBLEU's own object for a metric, set up with the options."""
    if name == BLEU.name:
        return _build_bleu(options, for_sentences)
    if name == CHRF.name:
        return chrf.CHRF(word_order=options.chrf_word_order, lowercase=options.lowercase)
    if name == TER.name:
        return ter.TER(case_sensitive=options.ter_case_sensitive)
    raise UnknownNameError(f"unknown metric {name!r}{did_you_mean(name, METRICS)}; one of {', '.join(METRICS)}")


def _build_bleu(options: MetricOptions, for_sentences: bool) -> bleu.BLEU:
    if options.tokenize not in bleu.BLEU.TOKENIZERS:
        near = did_you_mean(options.tokenize, bleu.BLEU.TOKENIZERS)
        known = ", ".join(bleu.BLEU.TOKENIZERS)
        raise ConfigError(f"BLEU has no tokenizer {options.tokenize!r}{near}; there are {known}")
    try:
        return bleu.BLEU(lowercase=options.lowercase, tokenize=options.tokenize, effective_order=for_sentences)
    except OSError as error:
        reason = " ".join(str(getattr(error, "reason", error)).split())
        raise ConfigError(
            f"BLEU's tokenizer {options.tokenize!r} needs a model that sacreBLEU downloads once ({reason}); connect to "
            f"the network, or copy its file from another machine to {SACREBLEU_DIR}/models."
        ) from None
    except (RuntimeError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"BLEU's tokenizer {options.tokenize!r} cannot be used: {reason}") from None


def reference_streams(references: References, sentences: int) -> list[list[str]]:
    """References as sacreBLEU wants them: one list for each set, every one as long as the corpus."""
    several = bool(references) and not isinstance(references[0], str)
    lists = [list(stream) for stream in references] if several else [list(references)]
    streams = cast("list[list[str]]", lists)
    for number, stream in enumerate(streams, start=1):
        if len(stream) != sentences:
            which = f" in set {number}" if several else ""
            raise DataError(
                f"{sentences} translations are given, but {len(stream)} references{which}: lines must match"
            )
    return streams


def _require_sentences(hypotheses: Sequence[str]) -> None:
    if not hypotheses:
        raise DataError("there is nothing to score: the corpus has no sentences")


def score_metric(
    name: str, hypotheses: Sequence[str], references: References, options: MetricOptions | None = None
) -> MetricScore:
    """One corpus-level metric with its signature."""
    _require_sentences(hypotheses)
    metric = build_metric(name, options or MetricOptions())
    result = metric.corpus_score(list(hypotheses), reference_streams(references, len(hypotheses)))
    return MetricScore(name, float(result.score), str(metric.get_signature()), str(result))


def score_corpus(
    hypotheses: Sequence[str], references: References, options: MetricOptions | None = None
) -> CorpusScores:
    """BLEU, chrF and TER of a whole corpus."""
    bleu, chrf, ter = (score_metric(name, hypotheses, references, options) for name in METRICS)
    return CorpusScores(bleu, chrf, ter, len(hypotheses))
