"""What a model of float32 writes, against the same computation in float64."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.batch import Batch
from jumok.decoding.translation import Translation
from jumok.models.seq2seq import Seq2Seq
from tests.rounding import MANY, Exact, assert_rounded, exact


@dataclass(frozen=True)
class ExactOutcome:
    """Of one output: log p of its tokens with EOS, their sum, and the weights of each layer [heads, steps, source]."""

    token_log_probs: Exact
    log_prob: Exact
    cross: list[Exact]

    def assert_log_probs(self, found: Sequence[float], many: float = MANY) -> None:
        """The log-probabilities of the tokens are these, rounded, and so is their sum."""
        numbers = torch.tensor(found, dtype=torch.float64)
        assert_rounded([numbers, numbers.sum()], [self.token_log_probs, self.log_prob], many)

    def assert_sum(self, log_prob: float, many: float = MANY) -> None:
        """A sum of log-probabilities is this one, rounded."""
        assert_rounded([torch.tensor(log_prob, dtype=torch.float64)], [self.log_prob], many)


@torch.no_grad()
def exact_outcomes(model: Seq2Seq, outcomes: Sequence[Translation]) -> list[ExactOutcome]:
    """The outputs by forced decoding in float64, each with the magnitudes of its own sums."""
    double = deepcopy(model).double().eval()
    batch = Batch.of([one.source_ids for one in outcomes], [one.ids for one in outcomes], range(len(outcomes)))

    def compute() -> Iterator[Tensor]:
        logits_BTV, maps = double(batch, need_weights=True)
        log_prob_BT = logits_BTV.log_softmax(-1).gather(-1, batch.target_out_BT[..., None]).squeeze(-1)
        for row, one in enumerate(outcomes):
            steps, width = len(one.ids) + 1, int(batch.source_mask_BS[row].sum())
            yield from (log_prob_BT[row, :steps], log_prob_BT[row, :steps].sum())
            yield from (layer[row, :, :steps, :width] for layer in maps.cross)

    found = exact(compute)
    each = len(found) // len(outcomes)
    rows = [found[start : start + each] for start in range(0, len(found), each)]
    return [ExactOutcome(row[0], row[1], row[2:]) for row in rows]
