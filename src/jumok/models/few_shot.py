"""Few-shot classification: examples with their labels as a sequence, and queries at its end (Mishra et al. 2018).

    x_s = [embed(image_s); one-hot(label_s)]     the support set, in any order
    x_q = [embed(image_q); 0]                    a query, which does not know its label
    p(label | query) = softmax(W y_q)            y: Attention → Convolutions → Attention → Convolutions → Attention

Queries of an episode are candidates for the same last position (`snail.Block.step`): each sees the support set and
itself, so the answers are those of as many sequences with one query, and the support set is computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.errors import ShapeError
from jumok.models.snail import AttentionBlock, Block, Stack, TemporalBlock

LEAST_SIDE = 16
POOLS = 4
PARTS = ("attend", "convolve")
LARGEST_PIXEL = 255.0


class ImageEmbedding(nn.Module):
    """Four times (3 × 3 convolution, batch norm, ReLU, 2 × 2 max-pool), then one linear layer: the paper's.

    The maximum is taken before the ReLU, which changes nothing (both are monotonic) and quarters its work. Maps lie
    pixel by pixel, all channels of a pixel together (torch's channels_last): on a CPU, norms and pools of one channel
    after the other take most of a step. The parameters keep their usual order, so that files and optimisers do too.
    """

    def __init__(self, side: int, filters: int, size: int) -> None:
        super().__init__()
        if side < LEAST_SIDE:
            raise ShapeError(f"A picture needs at least {LEAST_SIDE} × {LEAST_SIDE} pixels, not {side} × {side}.")
        inputs = [1] + [filters] * (POOLS - 1)
        self.convolutions = nn.ModuleList(nn.Conv2d(count, filters, 3, padding=1, bias=False) for count in inputs)
        self.norms = nn.ModuleList(nn.BatchNorm2d(filters) for _ in inputs)
        self.linear = nn.Linear(filters * (side >> POOLS) ** 2, size)
        self.size = size

    def forward(self, pixels_NHW: Tensor) -> Tensor:
        """A vector for each picture of uint8 pixels."""
        maps = (pixels_NHW.unsqueeze(-1).to(self.linear.weight.dtype) / LARGEST_PIXEL).permute(0, 3, 1, 2)
        for convolve, norm in zip(self.convolutions, self.norms, strict=True):
            kernel = cast(nn.Conv2d, convolve).weight.contiguous(memory_format=torch.channels_last)
            maps = F.max_pool2d(norm(F.conv2d(maps, kernel, padding=1)), 2).relu()
        return self.linear(maps.flatten(1))


@dataclass(frozen=True)
class Named:
    """The scores [E, Q, ways] of the classes for each query, and where each attention block looked."""

    logits_EQN: Tensor
    weights: tuple[Tensor, ...] = ()
    """For each attention block [E, Q, S + 1]: the examples of the support set, and last the query itself."""


class FewShotClassifier(nn.Module):
    """The embedding, the blocks of SNAIL and a linear layer over at most `ways` labels."""

    def __init__(self, embedding: ImageEmbedding, blocks: Stack, ways: int) -> None:
        super().__init__()
        self.embedding, self.blocks, self.ways = embedding, blocks, ways
        self.head = nn.Linear(blocks.size, ways)

    @property
    def attends(self) -> bool:
        """Whether one of the blocks is attention."""
        return any(isinstance(block, AttentionBlock) for block in self.blocks.parts)

    def forward(self, pixels_EIHW: Tensor, labels_ES: Tensor, need_weights: bool = False) -> Named:
        """Names the pictures after the first S, which are those with labels."""
        return self.name(self.embed(pixels_EIHW), labels_ES, need_weights)

    def embed(self, pixels_EIHW: Tensor) -> Tensor:
        """The vectors [E, I, D] of the pictures."""
        return self.embedding(pixels_EIHW.flatten(0, 1)).unflatten(0, pixels_EIHW.shape[:2])

    def name(self, vectors_EID: Tensor, labels_ES: Tensor, need_weights: bool = False) -> Named:
        """The same from the pictures' vectors."""
        shots = labels_ES.shape[1]
        known = F.one_hot(labels_ES, self.ways).to(vectors_EID.dtype)
        support = torch.cat([vectors_EID[:, :shots], known], dim=-1)
        queries = F.pad(vectors_EID[:, shots:], (0, self.ways))
        found = self.blocks.step(queries, self.blocks(support).cache, need_weights)
        return Named(self.head(found.states), found.weights)


def prototype_logits(vectors_EID: Tensor, labels_ES: Tensor, ways: int) -> Tensor:
    """[E · Q, E · ways]: −‖v_q − m_c‖² / √D for the classes of all episodes, one after the other.

    m_c is the mean vector of class c's examples (Snell, Swersky, Zemel 2017).
    """
    shots, size = labels_ES.shape[1], vectors_EID.shape[-1]
    known_ESN = F.one_hot(labels_ES, ways).to(vectors_EID.dtype)
    means_END = known_ESN.mT @ vectors_EID[:, :shots] / known_ESN.sum(1).clamp_min(1).unsqueeze(-1)
    queries, means = vectors_EID[:, shots:].flatten(0, 1), means_END.flatten(0, 1)
    square = queries.square().sum(-1, keepdim=True) + means.square().sum(-1)
    return (2 * queries @ means.T - square) / size**0.5


def nearest_loss(vectors_EID: Tensor, labels_ES: Tensor, answers_EQ: Tensor, classes_EN: Tensor) -> Tensor:
    """Σ −log p(class) of the queries by distance alone, among the classes of all episodes.

    Many rivals teach an embedding faster than the few of an episode, and they are there already. Where another
    episode has the query's class too, that one is left out.
    """
    ways = classes_EN.shape[1]
    right = (answers_EQ + ways * torch.arange(len(answers_EQ), device=answers_EQ.device).unsqueeze(1)).flatten()
    classes = classes_EN.flatten()
    again = classes[right].unsqueeze(1) == classes
    again[torch.arange(len(right)), right] = False
    logits = prototype_logits(vectors_EID, labels_ES, ways).masked_fill(again, -torch.inf)
    return F.cross_entropy(logits, right, reduction="sum")


def snail_blocks(
    size: int,
    length: int,
    filters: int,
    keys: Sequence[int],
    mechanism: str,
    parts: Sequence[str] = PARTS,
) -> Stack:
    """Attention and temporal convolutions in turn, one attention block for each of `keys`, values half as large.

    `parts` leaves one kind out, and a key of 0 one attention block, for ablations.
    """
    blocks: list[Block] = []
    for number, key in enumerate(keys):
        if "convolve" in parts and number:
            blocks.append(TemporalBlock(size, length, filters))
            size = blocks[-1].size
        if "attend" in parts and key:
            blocks.append(AttentionBlock(size, key, max(1, key // 2), mechanism, length))
            size = blocks[-1].size
    if not blocks:
        raise ShapeError("No block is left; give more keys, or one that is not 0.")
    return Stack(blocks)
