"""Exposure bias: how much worse a model predicts the reference when it hears its own words instead of the right ones.

    teacher-forced   − log p(y*_t | y*_<t, x)     the right history, as in training
    free-running     − log p(y*_t | ŷ_<t, x)      its own likeliest words, as in use

Both are asked for the same reference word at the same position. A word that was said earlier or later counts as
wrong, so the free-running loss overstates the damage; what matters is how models differ in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.batch import Batch
from jumok.decoding.batches import by_length
from jumok.models.contract import Memory
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, PAD

Ids = Sequence[int]


@dataclass(frozen=True)
class Exposure:
    """Mean losses a token, and by position in the target."""

    tokens: int
    forced: float
    free: float
    by_position: tuple[tuple[float, float, int], ...]
    """(forced, free, tokens) at each position"""

    @property
    def gap(self) -> float:
        """free − forced, in nats a token."""
        return self.free - self.forced


@torch.no_grad()
def exposure(model: Seq2Seq, pairs: Sequence[tuple[Ids, Ids]], budget: int = 4000) -> Exposure:
    """Both losses over pairs of ids (without BOS and EOS)."""
    model.eval()
    longest = max((len(target) for _, target in pairs), default=0) + 1
    sums_T3 = torch.zeros(longest, 3, dtype=torch.float64)
    lengths = [len(source) + len(target) + 2 for source, target in pairs]
    for numbers in by_length(lengths, budget):
        batch = Batch.of([pairs[n][0] for n in numbers], [pairs[n][1] for n in numbers], numbers)
        batch = batch.to(model.device)
        memory = model.encode(batch.source)
        length = batch.target_out_BT.shape[1]
        for column, history_BT in enumerate((batch.target_in_BT, None)):
            loss_BT = stepped_loss(model, memory, batch.target_out_BT, history_BT)
            masked_BT = loss_BT.masked_fill(~batch.target_mask_BT, 0.0)
            sums_T3[:length, column] += masked_BT.sum(dim=0).double().cpu()
        sums_T3[:length, 2] += batch.target_mask_BT.sum(dim=0).double().cpu()
    forced, free, tokens = sums_T3.sum(dim=0).tolist()
    rows = [(a / n, b / n, int(n)) for a, b, n in sums_T3.tolist() if n]
    return Exposure(int(tokens), forced / max(1.0, tokens), free / max(1.0, tokens), tuple(rows))


def stepped_loss(model: Seq2Seq, memory: Memory, target_BT: Tensor, history_BT: Tensor | None) -> Tensor:
    """− log p of each target token [B, T], stepping through a given history, or through the model's own words."""
    state = model.init_state(memory)
    previous_B = torch.full_like(target_BT[:, 0], BOS)
    losses: list[Tensor] = []
    for t in range(target_BT.shape[1]):
        if history_BT is not None:
            previous_B = history_BT[:, t]
        output, state = model.step(previous_B, state)
        log_prob_BV = output.logits_BV.log_softmax(dim=-1)
        losses.append(-log_prob_BV.gather(1, target_BT[:, t : t + 1])[:, 0])
        log_prob_BV[:, [PAD, BOS]] = -torch.inf
        previous_B = log_prob_BV.argmax(dim=-1)
    return torch.stack(losses, dim=1)
