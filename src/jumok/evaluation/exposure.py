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
from jumok.training.teacher_forcing import free_run

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


@dataclass(frozen=True)
class Heard:
    """A reference as the model predicts it while it hears certain words: one entry for each place, EOS last."""

    heard: list[int]
    """What was fed in before each place; BOS first."""
    said: list[int]
    """The likeliest word at each place."""
    right: list[float]
    """The probability of the reference's word."""


@torch.no_grad()
def derail(model: Seq2Seq, source: Ids, target: Ids, at: int, wrong: int) -> tuple[Heard, Heard]:
    """The reference after the wrong word was said at place `at`: (teacher-forced, free-running).

    With teacher forcing the right word is fed in all the same, as in training; running freely, the model hears the
    wrong word and then its own ones, as in use.
    """
    model.eval()
    batch = Batch.of([source], [target], [0]).to(model.device)
    free_BT = torch.arange(batch.target_in_BT.shape[1], device=model.device)[None] > at + 1
    derailed_BT = batch.target_in_BT.clone()
    derailed_BT[0, at + 1 : at + 2] = wrong
    forced = _hear(model, batch, batch.target_in_BT, torch.zeros_like(free_BT))
    return forced, _hear(model, batch, derailed_BT, free_BT)


def _hear(model: Seq2Seq, batch: Batch, history_BT: Tensor, free_BT: Tensor) -> Heard:
    """The reference after a given history, and after the model's own words where it is free."""
    memory = model.encode(batch.source)
    logits_TV = free_run(model, memory, history_BT, ~free_BT).logits_BTV[0]
    said_T = logits_TV.argmax(-1)
    heard_T = history_BT[0].clone()
    heard_T[1:] = torch.where(free_BT[0, 1:], said_T[:-1], heard_T[1:])
    right_T = logits_TV.softmax(-1).gather(1, batch.target_out_BT[0, :, None])[:, 0]
    return Heard(heard_T.tolist(), said_T.tolist(), right_T.tolist())
