"""Validation during training: the loss, scores of greedily written texts, and pictures of the attention."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from jumok.alignment import parse_pharaoh
from jumok.data.bucketing import TokenBatches
from jumok.data.loader import make_batch
from jumok.data.sources import Tokens
from jumok.decoding.batches import by_length, pad_sources
from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import greedy
from jumok.evaluation.metrics import MetricOptions, score_metric
from jumok.metric import BLEU, CHRF, Metric
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.translation.metrics import METRICS
from jumok.tasks.translation.prepare import Prepared, cut_pairs
from jumok.text.slots import beside
from jumok.training.events import Validation, WordAlignment
from jumok.training.validation import token_loss, word_alignments

DECODED_TOGETHER = 6000
# It warns of periods that stand apart, once a validation.
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


@dataclass(frozen=True)
class TextScores:
    """What a task validates its texts by."""

    metrics: tuple[Metric, ...]
    of: Callable[[list[str], list[str]], dict[str, float]]
    """The scores of texts against one reference each, under the names of the metrics; the loss is not among them."""


def bleu_and_chrf(texts: list[str], references: list[str]) -> dict[str, float]:
    """What translations are validated by."""
    options = MetricOptions()
    return {name: score_metric(name, texts, references, options).value for name in (BLEU.name, CHRF.name)}


BLEU_AND_CHRF = TextScores(METRICS, bleu_and_chrf)


class Validator:
    """Scores a model on the validation text: loss always, scores of greedy decoding, and pictures."""

    def __init__(self, run: Prepared, device: torch.device, scores: TextScores = BLEU_AND_CHRF) -> None:
        self.run, self.device, self.scores = run, device, scores
        config = run.config
        self.pairs = cut_pairs(config, run.dev_ids, run.target_tokenizer.size)
        lengths = self.pairs.lengths()
        self.batches = TokenBatches(
            lengths, max_tokens=config.train.batch_tokens, seed=0, max_length=config.data.max_length, shuffle=False
        )
        short = np.flatnonzero((lengths <= config.data.max_length).all(axis=1))
        self.decoded = [int(number) for number in short[: config.train.validate_size]]
        # Not the very short ones: a picture needs something to look at.
        wanted = [n for n in self.decoded or short.tolist() if lengths[n].min() >= 5 and lengths[n].max() <= 25]
        self.pictured = (wanted or [int(n) for n in short])[: config.train.pictures]

    def __call__(self, model: Seq2Seq) -> Validation:
        config = self.run.config
        batches = (make_batch(self.pairs, numbers, 0) for numbers in self.batches.epoch(0))
        metrics = {"loss": token_loss(model, batches, self.device, config.runtime.precision)}
        if self.decoded:
            sources = [np.asarray(self.pairs.pair(number, 0).source).tolist() for number in self.decoded]
            texts = [
                beside(self.run.target_tokenizer, self.run.dev_text[number].source).decode(ids)
                for number, ids in zip(
                    self.decoded, translate_ids(model, sources, config.data.max_length, self.device), strict=True
                )
            ]
            references = [self.run.dev_text[number].target for number in self.decoded]
            if config.text.lowercase:
                references = [reference.lower() for reference in references]
            metrics |= self.scores.of(texts, references)
        return Validation(metrics, self._pictures(model))

    def _pictures(self, model: Seq2Seq) -> list[WordAlignment]:
        if not self.pictured:
            return []
        batch = make_batch(self.pairs, np.array(self.pictured), 0).to(self.device)
        pairs = [self.run.dev_text[number] for number in self.pictured]
        texts = [(pair.source, pair.target, _sure_links(pair.alignment)) for pair in pairs]
        return word_alignments(
            model,
            batch,
            texts,
            self.run.source_tokenizer.word_of_token,
            self.run.target_tokenizer.word_of_token,
            self.run.config.train.guided_layer,
        )


def _sure_links(alignment: str | None) -> list[tuple[int, int]] | None:
    return sorted(parse_pharaoh(alignment).sure) if alignment else None


@torch.no_grad()
def translate_ids(
    model: Seq2Seq, sources: Sequence[Sequence[int]], longest: int, device: torch.device
) -> Iterator[tuple[int, ...]]:
    """The greedy translation of each source, in order; none is longer than `longest` tokens."""
    found: dict[int, tuple[int, ...]] = {}
    for numbers in by_length([len(ids) + 1 for ids in sources], DECODED_TOGETHER):
        source_BS, mask_BS = pad_sources([sources[number] for number in numbers], device)
        most_B = (2 * mask_BS.sum(1) + 10).clamp_max(longest)
        rules = Rules(max_length_B=most_B, min_length_B=torch.zeros_like(most_B))
        hypotheses = greedy(model, model.encode(Tokens(source_BS, mask_BS)), mask_BS, rules)
        found |= {number: one.ids for number, one in zip(numbers, hypotheses, strict=True)}
    return (found[number] for number in range(len(sources)))
