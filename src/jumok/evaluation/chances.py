"""How likely a model finds the right words, p(y*_t | y*_<t, x), averaged over many sentences.

The mean by length of the source shows a sentence vector that runs out of room; the mean by place in the target shows
which words it loses.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.batch import Batch
from jumok.decoding.batches import by_length
from jumok.models.seq2seq import Seq2Seq

Ids = Sequence[int]


@dataclass(frozen=True)
class MeanChance:
    """The mean probability of the right words of one group: `at` names the group, `count` words were averaged."""

    at: float
    count: int
    mean: float


@torch.no_grad()
def word_chances(model: Seq2Seq, pairs: Sequence[tuple[Ids, Ids]], budget: int = 4000) -> list[list[float]]:
    """For each pair of ids (without BOS and EOS) the probability of each target word and EOS after the right words."""
    model.eval()
    found: list[list[float]] = [[] for _ in pairs]
    for numbers in by_length([len(source) + len(target) + 2 for source, target in pairs], budget):
        batch = Batch.of([pairs[n][0] for n in numbers], [pairs[n][1] for n in numbers], numbers).to(model.device)
        memory = model.encode(batch.source)
        logits_BTV = model.logits(model.decode(memory, batch.target_in_BT), memory)
        p_BT = logits_BTV.softmax(-1).gather(2, batch.target_out_BT.unsqueeze(2))[:, :, 0]
        for number, row, mask in zip(numbers, p_BT, batch.target_mask_BT, strict=True):
            found[number] = row[mask].tolist()
    return found


@torch.no_grad()
def distributions(model: Seq2Seq, source: Ids, target: Ids) -> Tensor:
    """log p(· | y*_<t, x) [T, V] at each place of a target and at its end, after the right words."""
    model.eval()
    batch = Batch.of([source], [target], [0]).to(model.device)
    memory = model.encode(batch.source)
    return model.logits(model.decode(memory, batch.target_in_BT), memory)[0].log_softmax(-1)


def mean_chances(chances: Iterable[tuple[float, float]]) -> list[MeanChance]:
    """The mean of (group, probability) for each group, in the order of the groups."""
    groups: dict[float, list[float]] = {}
    for group, chance in chances:
        groups.setdefault(group, []).append(chance)
    return [MeanChance(group, len(all_of), sum(all_of) / len(all_of)) for group, all_of in sorted(groups.items())]
