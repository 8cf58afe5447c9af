"""How a recurrent decoder starts: from the encoder's last state, copied where it fits or through a bridge."""

import torch
from torch import Tensor, nn

from jumok.models.contract import Memory
from jumok.models.recurrent import LayerState, xavier_linear


class CopiedStart(nn.Module):
    """The encoder's last states, layer by layer (Sutskever et al. 2014), for a decoder of the same make."""

    def forward(self, memory: Memory) -> tuple[LayerState, ...]:
        assert memory.final is not None, "a copied start needs a one-directional recurrent encoder"
        return memory.final


class BridgedStart(nn.Module):
    """s_0 = tanh(W_s h) of the sentence vector h (Bahdanau et al. 2015), for each layer and LSTM cell.

    Bahdanau's h is the last state of the backward direction; ours holds both directions, or a Transformer's
    mean.
    """

    def __init__(self, summary_size: int, size: int, layers: int, parts: int) -> None:
        super().__init__()
        self.layers, self.parts = layers, parts
        self.W_s = xavier_linear(summary_size, layers * parts * size)

    def forward(self, memory: Memory) -> tuple[LayerState, ...]:
        parts: tuple[Tensor, ...] = torch.tanh(self.W_s(memory.summary)).chunk(self.layers * self.parts, dim=-1)
        return tuple(parts[n * self.parts : (n + 1) * self.parts] for n in range(self.layers))
