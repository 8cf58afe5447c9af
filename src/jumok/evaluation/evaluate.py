"""Everything that can be measured of a run on a test set, in one value, and the report made of several."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from jumok.alignment import AlignmentScore, Links, check_bounds, score_alignments
from jumok.decoding.forced import run_pairs
from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.errors import DataError
from jumok.evaluation.by_length import LengthBin, score_by_length, source_lengths
from jumok.evaluation.casing import IgnoringCase, score_ignoring_case
from jumok.evaluation.chart import Chart, Series
from jumok.evaluation.compare import MetricComparison, compare_systems
from jumok.evaluation.exposure import Exposure, exposure
from jumok.evaluation.gradient_flow import FlowAtDistance, flow_over_distance
from jumok.evaluation.metrics import CorpusScores, MetricOptions, score_corpus
from jumok.evaluation.report import Example, Report, SystemResults, Table
from jumok.evaluation.sharpness import AttentionShape, attention_shape, combine_shapes
from jumok.metric import BLEU, CHRF
from jumok.text.normal import words_of
from jumok.text.slots import encode_beside

_PICTURED = 3


@dataclass(frozen=True)
class TestSet:
    """Sources with one or more sets of references; `gold` links are between source and first reference."""

    name: str
    sources: list[str]
    references: list[list[str]]
    gold: list[Links] | None = None
    long_sources: list[str] = field(default_factory=list[str])
    """Longer sentences, only for the scores by length."""
    long_references: list[list[str]] = field(default_factory=list[list[str]])

    __test__ = False  # no test case, whatever its name says to pytest

    def __post_init__(self) -> None:
        for number, lines in enumerate(self.references, start=1):
            if len(lines) != len(self.sources):
                raise DataError(
                    f"{self.name} has {len(self.sources)} source lines, but {len(lines)} in reference {number}; "
                    "they must match line by line."
                )
        if self.gold is not None and len(self.gold) != len(self.sources):
            raise DataError(f"{self.name} has {len(self.sources)} source lines, but gold links for {len(self.gold)}.")
        if self.gold is not None:
            every = zip(self.gold, self.sources, self.references[0], strict=True)
            for number, (links, source, reference) in enumerate(every, start=1):
                counts = len(words_of(source)), len(words_of(reference))
                check_bounds(links, *counts, where=f"the gold links of {self.name}, line {number}")
        if not self.sources:
            raise DataError(f"{self.name} has no lines to evaluate on.")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Source and first reference where neither is empty."""
        both = zip(self.sources, self.references[0], strict=True)
        return [(source, target) for source, target in both if source.strip() and target.strip()]


@dataclass(frozen=True)
class Evaluation:
    """What was measured of one run."""

    name: str
    hash: str
    translations: list[Translation]
    scores: CorpusScores
    by_length: list[LengthBin]
    alignment: AlignmentScore | None
    attention: list[tuple[str, AttentionShape]]
    exposure: Exposure | None
    gradient_flow: list[FlowAtDistance]
    has_gold: bool = False
    """Gold links were given; a model without attention has no error against them."""
    ignoring_case: IgnoringCase | None = None
    """Scores without regard to case, where translations or references are lower-cased and the others are not."""

    @property
    def texts(self) -> list[str]:
        """The translations as text."""
        return [translation.text for translation in self.translations]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: `bleu`, `chrf`, `ter`, `signature`, and `aer` where gold links were given.

        `ignoring_case` has the same scores without regard to case, and `lowercased`, the side without capitals.
        """
        tree: dict[str, Any] = {"run": self.name, "hash": self.hash, **self.scores.as_dict()}
        if self.ignoring_case is not None:
            uncased = self.ignoring_case
            tree["ignoring_case"] = {"lowercased": uncased.lowercased, **uncased.scores.as_dict()}
        if self.alignment is not None or self.has_gold:
            tree |= {name: getattr(self.alignment, name, None) for name in ("aer", "precision", "recall")}
        tree["by_length"] = [{"label": part.label, **vars(part)} for part in self.by_length]
        tree["attention"] = [{"which": which, **vars(shape)} for which, shape in self.attention]
        if self.exposure is not None:
            tree["exposure"] = {
                "teacher_forced": self.exposure.forced,
                "free_running": self.exposure.free,
                "gap": self.exposure.gap,
                "tokens": self.exposure.tokens,
            }
        tree["gradient_flow"] = [vars(part) for part in self.gradient_flow]
        return tree


def evaluate(
    translator: Translator,
    test: TestSet,
    *,
    options: Options | None = None,
    metric_options: MetricOptions | None = None,
    losses: int = 200,
    gradients: int = 8,
    name: str | None = None,
) -> Evaluation:
    """Everything about one run.

    translator       the model to measure
    test             sources and references (`jumok.tasks.translation.test_sets` makes one)
    options          how it translates
    metric_options   case and tokenizer of the metrics
    losses           on how many pairs exposure bias is measured
    gradients        on how many pairs gradients over distance are measured
    name             what the run is called in tables; the folder's name if not given
    """
    lines = [*test.sources, *test.long_sources]
    translations = list(translator.translate_stream(lines, options or Options()))
    texts = [translation.text for translation in translations]
    count = len(test.sources)
    long = test.long_references or [[] for _ in test.references]
    all_references = [[*lines, *more] for lines, more in zip(test.references, long, strict=True)]
    pairs = test.pairs
    ids = [_ids(translator, pair) for pair in pairs[: max(losses, gradients)]]
    return Evaluation(
        name=name or translator.run.name,
        hash=translator.run.hash,
        translations=translations[:count],
        scores=score_corpus(texts[:count], test.references, metric_options),
        by_length=score_by_length(source_lengths(lines), texts, all_references, options=metric_options),
        alignment=_alignment(translator, test),
        attention=_attention(translator, pairs[:losses]),
        exposure=exposure(translator.model, ids[:losses]) if losses and ids else None,
        gradient_flow=flow_over_distance(translator.model, ids[:gradients]) if gradients else [],
        has_gold=test.gold is not None,
        ignoring_case=score_ignoring_case(texts[:count], test.references, metric_options),
    )


def comparable(
    evaluations: Sequence[Evaluation], test: TestSet, metric_options: MetricOptions | None = None
) -> list[Evaluation]:
    """The evaluations; where one has scores that ignore case, all of them have."""
    if not any(one.ignoring_case for one in evaluations):
        return list(evaluations)
    return [
        replace(one, ignoring_case=score_ignoring_case(one.texts, test.references, metric_options, always=True))
        for one in evaluations
    ]


def _ids(translator: Translator, pair: tuple[str, str]) -> tuple[list[int], list[int]]:
    run, most = translator.run, translator.run.config.data.max_length
    source, target = run.source_tokenizer.encode(pair[0]), encode_beside(run.target_tokenizer, pair[1], pair[0])
    return source[: min(most, run.reach.source_tokens)], target[: min(most, run.reach.target_tokens)]


def attends(translator: Translator) -> bool:
    """Whether the model has attention between its two sides."""
    return translator.run.config.model.decoder.attention != "none"


def _alignment(translator: Translator, test: TestSet) -> AlignmentScore | None:
    """The error of forced alignment against gold links."""
    if test.gold is None or not attends(translator):
        return None
    found = translator.align(list(zip(test.sources, test.references[0], strict=True)))
    return score_alignments([pair.links for pair in found], test.gold)


def _attention(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, AttentionShape]]:
    """How spread out the attention is, for each kind and layer, over all heads and steps."""
    ids = [_ids(translator, pair) for pair in pairs]
    shapes: dict[str, list[AttentionShape]] = {}
    sources, targets = [source for source, _ in ids], [target for _, target in ids]
    for forced in run_pairs(translator.model, sources, targets, translator.device, need_weights=True):
        maps = forced.attention
        source_BS, target_BT = forced.batch.source_mask_BS, forced.batch.target_mask_BT
        causal_TT = torch.ones(target_BT.shape[1], target_BT.shape[1], dtype=torch.bool).tril()
        kinds = (
            ("encoder", maps.encoder, source_BS, source_BS[:, None, None, :]),
            ("decoder", maps.decoder, target_BT, causal_TT),
            ("cross", maps.cross, target_BT, source_BS[:, None, None, :]),
        )
        for kind, layers, rows_BT, mask in kinds:
            for number, weights_BHTS in enumerate(layers):
                name = kind if len(layers) == 1 else f"{kind}, layer {number}"
                kept = weights_BHTS.float().masked_fill(~rows_BT[:, None, :, None], 0.0).cpu().numpy()
                shapes.setdefault(name, []).append(attention_shape(kept, mask.cpu().numpy()))
    return [(name, combine_shapes(parts)) for name, parts in shapes.items()]


def compare(
    evaluations: Sequence[Evaluation], test: TestSet, metric_options: MetricOptions | None = None, samples: int = 1000
) -> list[MetricComparison]:
    """Paired bootstrap of several runs; where `comparable` gave them scores that ignore case, of these too.

    evaluations      what `evaluate` found of each run
    test             the test set that they share
    metric_options   case and tokenizer of the metrics
    samples          bootstrap samples to draw
    """
    if len(evaluations) < 2:
        return []
    systems = {one.name: one.texts for one in evaluations}
    found = compare_systems(systems, test.references, samples=samples, options=metric_options)
    if not any(one.ignoring_case for one in evaluations):
        return found
    options, cased = replace(metric_options or MetricOptions(), lowercase=True), (BLEU.name, CHRF.name)
    ignoring = compare_systems(systems, test.references, metrics=cased, samples=samples, options=options)
    return [*found, *(replace(one, metric=f"{one.metric}, ignoring case") for one in ignoring)]


def report(evaluations: Sequence[Evaluation], test: TestSet, comparisons: Sequence[MetricComparison]) -> Report:
    """The page about one run or several.

    evaluations   what `evaluate` found of each run
    test          the test set that they share
    comparisons   what `compare` found
    """
    systems = tuple(
        SystemResults(
            name=one.name,
            scores=one.scores,
            alignment=one.alignment,
            by_length=tuple(one.by_length),
            attention=tuple(one.attention),
        )
        for one in evaluations
    )
    facts = [("test set", f"{test.name}, {len(test.sources)} sentences")]
    facts += [(one.name, f"model {one.hash}") for one in evaluations]
    return Report(
        title=" and ".join(one.name for one in evaluations),
        facts=tuple(facts),
        systems=systems,
        comparisons=tuple(comparisons),
        tables=tuple(_case_tables(evaluations)),
        charts=tuple(chart for chart in (_exposure_chart(evaluations), *_flow_charts(evaluations)) if chart),
        examples=tuple(_examples(evaluations[0], test)),
    )


def _case_tables(evaluations: Sequence[Evaluation]) -> list[Table]:
    """The scores without regard to case, where one side is lower-cased."""
    rows = [
        (one.name, scores.bleu.value, scores.chrf.value, scores.ter.value, uncased.lowercased or "–")
        for one in evaluations
        if (uncased := one.ignoring_case) is not None and (scores := uncased.scores)
    ]
    columns = ("system", "BLEU ↑", "chrF ↑", "TER ↓", "lower-cased")
    caption = "Where only one of translations and references is lower-cased, BLEU and chrF count capitals as errors."
    return [Table("Scores ignoring case", columns, tuple(rows), caption)] if rows else []


def _exposure_chart(evaluations: Sequence[Evaluation]) -> Chart | None:
    """Both losses over the position in the target, where enough sentences are that long."""
    series: list[Series] = []
    for one in evaluations:
        if one.exposure is None:
            continue
        rows = [row for row in one.exposure.by_position if row[2] >= min(10, one.exposure.by_position[0][2])]
        x = tuple(float(position) for position in range(1, len(rows) + 1))
        series.append(Series(f"{one.name}, forced", x, tuple(row[0] for row in rows)))
        series.append(Series(f"{one.name}, free", x, tuple(row[1] for row in rows)))
    if not series:
        return None
    caption = "Loss of the reference word when the model is fed the reference (forced) or its own words (free)."
    return Chart("Exposure bias", "position in the target", "loss (nats)", tuple(series), caption)


def _flow_charts(evaluations: Sequence[Evaluation]) -> list[Chart]:
    """The gradient at the source words of all runs, and the two direct paths of attention of each."""
    axis = "recurrent steps between reading and writing"
    flows = [(one.name, one.gradient_flow) for one in evaluations if one.gradient_flow]
    if not flows:
        return []
    whole = tuple(
        Series(name, tuple((p.low + p.high) / 2 for p in parts), tuple(p.words for p in parts)) for name, parts in flows
    )
    caption = "Mean norm of the gradient of a target word's loss at an embedded source word, over all paths."
    charts = [Chart("Gradient flow", axis, "gradient norm", whole, caption)]
    lanes: list[Series] = []
    for name, parts in flows:
        x = tuple((p.low + p.high) / 2 for p in parts)
        for lane in ("weights", "values"):
            y = [getattr(part, lane) for part in parts]
            if all(value is not None for value in y):
                lanes.append(Series(f"{name}, through {lane}", x, tuple(y)))
    if lanes:
        caption = (
            "The direct paths of attention: through the weights (where to look) and through the values (what is there)."
        )
        charts.append(Chart("Gradient through attention", axis, "gradient norm", tuple(lanes), caption))
    return charts


def _examples(one: Evaluation, test: TestSet) -> list[Example]:
    """A few sentences of middling length with their pictures."""
    fitting = [n for n, translation in enumerate(one.translations) if 5 <= len(translation.source_words) <= 20]
    return [
        Example(
            source=test.sources[n],
            translation=one.translations[n].text,
            reference=test.references[0][n],
            system=one.name,
            source_words=one.translations[n].source_words,
            target_words=one.translations[n].target_words,
            weights=one.translations[n].weights,
        )
        for n in (fitting or range(len(one.translations)))[:_PICTURED]
    ]
