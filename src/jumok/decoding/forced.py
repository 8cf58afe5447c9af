"""Forced decoding: the model's opinion of a given translation, all positions at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.batch import Batch
from jumok.decoding.batches import by_length
from jumok.models.contract import AttentionMaps, Decoded, Memory
from jumok.models.seq2seq import Seq2Seq

Ids = Sequence[int]


@dataclass(frozen=True)
class ForcedPairs:
    """A batch of pairs run through a model; rows and columns are padded to the longest."""

    numbers: list[int]
    batch: Batch
    memory: Memory
    decoded: Decoded

    @property
    def attention(self) -> AttentionMaps:
        """Where the model looked, as far as it was asked for."""
        return self.decoded.attention


def run_pairs(
    model: Seq2Seq,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    device: torch.device,
    *,
    need_weights: bool,
    budget: int = 8_000,
) -> Iterator[ForcedPairs]:
    """The pairs in batches of similar length, longest first."""
    lengths = [len(source) + len(target) + 2 for source, target in zip(sources, targets, strict=True)]
    for numbers in by_length(lengths, budget):
        batch = Batch.of([sources[n] for n in numbers], [targets[n] for n in numbers], numbers).to(device)
        with torch.inference_mode():
            memory = model.encode(batch.source, need_weights)
            decoded = model.decode(memory, batch.target_in_BT, need_weights=need_weights)
            yield ForcedPairs(numbers, batch, memory, decoded)


def token_log_probs(model: Seq2Seq, forced: ForcedPairs) -> Tensor:
    """log p(y_t | …) of every given token and EOS [B, T], 0 at padding."""
    with torch.inference_mode():
        return model.head.log_probs(forced.decoded, forced.memory, forced.batch.target_out_BT)
