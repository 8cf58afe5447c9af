"""The recurrent encoder: h_i = [→h_i; ←h_i], stacked, in which padding changes nothing.

Padding follows the words, so a forward layer never sees it before it has read them. The backward layer reads
each source turned around within its own length, which is again words first. No sequence is packed: on a CPU
the padded kernels are nearly twice as fast, and the batches hold little padding.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from jumok.errors import ShapeError
from jumok.models.contract import Encoder, Memory
from jumok.models.dropout import Dropout
from jumok.models.order import lengths, reorder, reversal
from jumok.models.recurrent import LayerState, RecurrentLayer, full_precision


class RNNEncoder(Encoder):
    """Recurrent layers over the source, one- or two-directional; `size` counts both directions together."""

    def __init__(
        self, *, cell: str, input_size: int, size: int, layers: int, bidirectional: bool, dropout: float
    ) -> None:
        super().__init__()
        if bidirectional and size % 2:
            raise ShapeError(f"A bidirectional encoder needs an even size, got {size}.")
        self.size = size
        self.bidirectional = bidirectional
        width = size // 2 if bidirectional else size
        sizes = [input_size] + [size] * (layers - 1)
        self.forwards = nn.ModuleList(RecurrentLayer(cell, given, width) for given in sizes)
        self.backwards = nn.ModuleList(RecurrentLayer(cell, given, width) for given in (sizes if bidirectional else []))
        self.dropout = Dropout(dropout)

    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        read = self._both_ways if self.bidirectional else self._one_way
        with full_precision(words_BSE):
            return read(words_BSE, mask_BS, lengths(mask_BS))

    def _one_way(self, words_BSE: Tensor, mask_BS: Tensor, ends_B: Tensor) -> Memory:
        states_BSD, final = words_BSE, []
        for number, layer in enumerate(self.forwards):
            assert isinstance(layer, RecurrentLayer)
            states_BSD, last = run_to_ends(layer, self.dropout(states_BSD) if number else states_BSD, ends_B)
            final.append(last)
        return Memory(states_BSD, mask_BS, final[-1][0], tuple(final))

    def _both_ways(self, words_BSE: Tensor, mask_BS: Tensor, ends_B: Tensor) -> Memory:
        index_BS = reversal(mask_BS)
        states_BSD = words_BSE
        for number, (forward, backward) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            states_BSD = self.dropout(states_BSD) if number else states_BSD
            ahead_BSD, _ = forward(states_BSD)
            back_BSD, _ = backward(reorder(states_BSD, index_BS))
            states_BSD = torch.cat([ahead_BSD, reorder(back_BSD, index_BS)], dim=-1)
        width = self.size // 2
        # The forward direction has read everything at the last word, the backward one at the first.
        summary_BD = torch.cat([at_ends(states_BSD[..., :width], ends_B), states_BSD[:, 0, width:]], dim=-1)
        return Memory(states_BSD, mask_BS, summary_BD)


def run_to_ends(layer: RecurrentLayer, inputs_BSE: Tensor, ends_B: Tensor) -> tuple[Tensor, LayerState]:
    """The states of a whole batch and, for each sentence, the state after its last word."""
    if layer.parts == 1:
        states_BSD, _ = layer(inputs_BSE)
        return states_BSD, (at_ends(states_BSD, ends_B),)
    # The LSTM's kernel does not show its cells on the way, so only packing gives those at the ends.
    packed = pack_padded_sequence(inputs_BSE, ends_B.cpu(), batch_first=True, enforce_sorted=False)
    states, last = layer.rnn(packed)
    states_BSD, _ = pad_packed_sequence(states, batch_first=True, total_length=inputs_BSE.shape[1])
    return states_BSD, tuple(part[0] for part in last)


def at_ends(states_BSD: Tensor, ends_B: Tensor) -> Tensor:
    """The state [B, D] of each sentence's last word."""
    return states_BSD[torch.arange(len(ends_B), device=ends_B.device), ends_B - 1]
