"""Forced decoding: the model's opinion of a given translation, all positions at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.batch import Batch
from jumok.decoding.batches import by_length
from jumok.models.seq2seq import AttentionMaps, Seq2Seq

Ids = Sequence[int]
_LOGITS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Forced:
    """A batch of pairs run through a model; rows and columns are padded to the longest."""

    numbers: list[int]
    batch: Batch
    outputs_BTD: Tensor
    attention: AttentionMaps


def run_pairs(
    model: Seq2Seq,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    device: torch.device,
    *,
    need_weights: bool,
    budget: int = 8_000,
) -> Iterator[Forced]:
    """The pairs in batches of similar length, longest first."""
    lengths = [len(source) + len(target) + 2 for source, target in zip(sources, targets, strict=True)]
    for numbers in by_length(lengths, budget):
        batch = Batch.of([sources[n] for n in numbers], [targets[n] for n in numbers], numbers).to(device)
        with torch.inference_mode():
            memory = model.encode(batch.source_BS, batch.source_mask_BS, need_weights)
            decoded = model.decode(memory, batch.target_in_BT, need_weights=need_weights)
            yield Forced(numbers, batch, decoded.outputs_BTD, decoded.attention)


def token_log_probs(model: Seq2Seq, forced: Forced) -> Tensor:
    """log p(y_t | …) of every given token and EOS [B, T], 0 at padding; the logits are made a slice at a time."""
    mask_BT = forced.batch.target_mask_BT
    outputs_ND, target_N = forced.outputs_BTD[mask_BT], forced.batch.target_out_BT[mask_BT]
    step = max(1, _LOGITS_AT_ONCE // model.target_size)
    parts: list[Tensor] = []
    with torch.inference_mode():
        for first in range(0, len(target_N), step):
            logits = model.generator(outputs_ND[first : first + step])
            wanted = logits.gather(1, target_N[first : first + step, None])[:, 0]
            parts.append((wanted - logits.logsumexp(dim=-1)).double())
        log_prob_BT = torch.zeros(mask_BT.shape, dtype=torch.float64, device=mask_BT.device)
        log_prob_BT[mask_BT] = torch.cat(parts)
    return log_prob_BT
