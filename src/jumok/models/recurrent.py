"""Recurrent layers: the three cells, as one call over a whole sequence or one step at a time.

The parameters live in torch's own `nn.RNN`, `nn.GRU` and `nn.LSTM` (one layer each), whose kernels run whole
sequences. A decoder that needs the last context before it can take the next step uses `input_gates` for all
positions at once and then `advance` for each; both ways give the same states.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from jumok.models.dropout import Dropout
from jumok.models.whole_layer import run_gru

# (h,) for tanh and gru, (h, c) for lstm; each [B, D].
LayerState = tuple[Tensor, ...]

GATES = {"tanh": 1, "gru": 3, "lstm": 4}
KERNELS: dict[str, type[nn.RNN] | type[nn.GRU] | type[nn.LSTM]] = {
    "tanh": nn.RNN,
    "gru": nn.GRU,
    "lstm": nn.LSTM,
}


def full_precision(like: Tensor) -> AbstractContextManager[object]:
    """Switches autocast off: a recurrence adds up its rounding over the steps, and its kernels lack half types."""
    return torch.autocast(like.device.type, enabled=False)


class RecurrentLayer(nn.Module):
    """One recurrent layer of a named cell.

    The biases of input and state stay apart as in torch; the reset gate of the GRU acts after the state's
    product (torch and cuDNN), where Cho et al. 2014 let it act before.
    """

    def __init__(self, cell: str, input_size: int, size: int) -> None:
        super().__init__()
        self.cell = cell
        self.size = size
        self.parts = 2 if cell == "lstm" else 1
        self.rnn = KERNELS[cell](input_size, size, batch_first=True)
        self.reset_parameters()

    @property
    def W(self) -> Tensor:
        """What meets the input [G·D, E]."""
        return cast(Tensor, self.rnn.weight_ih_l0)

    @property
    def U(self) -> Tensor:
        """What meets the state [G·D, D]."""
        return cast(Tensor, self.rnn.weight_hh_l0)

    @property
    def b(self) -> Tensor:
        """The input's bias."""
        return cast(Tensor, self.rnn.bias_ih_l0)

    @property
    def b_U(self) -> Tensor:
        """The state's bias."""
        return cast(Tensor, self.rnn.bias_hh_l0)

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Xavier for the input, orthogonal for the state, gate by gate; a forget gate that starts open."""
        for gate in self.W.chunk(GATES[self.cell]):
            nn.init.xavier_uniform_(gate)
        for gate in self.U.chunk(GATES[self.cell]):
            nn.init.orthogonal_(gate)
        nn.init.zeros_(self.b)
        nn.init.zeros_(self.b_U)
        if self.cell == "lstm":
            self.b[self.size : 2 * self.size] = 1.0

    def forward(self, inputs_BTE: Tensor, state: LayerState | None = None) -> tuple[Tensor, LayerState]:
        """The states [B, T, D] of the whole sequence, and the state after its last position."""
        if self.cell == "gru" and torch.is_grad_enabled() and inputs_BTE.shape[1] > 0:
            # Learning: torch's kernels multiply the gradient of U step by step.
            first_BD = inputs_BTE.new_zeros(len(inputs_BTE), self.size) if state is None else state[0]
            states_TBD = run_gru(self.input_gates(inputs_BTE.transpose(0, 1)), self.U, self.b_U, first_BD)
            return states_TBD.transpose(0, 1), (states_TBD[-1],)
        start = None if state is None else tuple(part[None] for part in state)
        states_BTD, last = self.rnn(inputs_BTE, start[0] if start is not None and self.parts == 1 else start)
        last = (last,) if self.parts == 1 else last
        return states_BTD, tuple(part[0] for part in last)

    def zeros(self, count: int, like: Tensor) -> LayerState:
        """The state of `count` sentences before anything was read."""
        return tuple(like.new_zeros(count, self.size) for _ in range(self.parts))

    def split_inputs(self, sizes: Sequence[int]) -> tuple[Tensor, ...]:
        """The input weights of inputs [x_1; x_2; …] of these sizes, to be used as each x becomes known."""
        return self.W.split(list(sizes), dim=1)

    def input_bias(self) -> Tensor:
        """The bias that belongs to the input's share of the gates (for tanh and lstm the state's too)."""
        if self.cell == "gru":
            return self.b
        return self.b + self.b_U

    def state_bias(self) -> Tensor | None:
        """The bias that belongs to the state's share of the gates, where it is not the input's already."""
        return self.b_U if self.cell == "gru" else None

    def input_gates(self, inputs: Tensor) -> Tensor:
        """The input's share of the gates, for any number of positions at once."""
        return linear(inputs, self.W, self.input_bias())

    def advance(self, gates_BG: Tensor, state: LayerState) -> LayerState:
        """The state one step later, from the input's share of the gates."""
        if self.cell == "gru":
            return gru_step(gates_BG, linear(state[0], self.U, self.b_U), state[0])
        total_BG = torch.addmm(gates_BG, state[0], self.U.t())
        # tanh: h_t = tanh(W x_t + U h_{t−1} + b)
        return lstm_step(total_BG, state[1]) if self.cell == "lstm" else (torch.tanh(total_BG),)


def gru_step(inputs_BG: Tensor, recurrent_BG: Tensor, state_BD: Tensor) -> LayerState:
    """h_t from the input's and the state's shares of the gates.

    r = σ(W_r x + U_r h),  z = σ(W_z x + U_z h),  n = tanh(W_n x + r ⊙ U_n h),  h' = (1 − z) ⊙ n + z ⊙ h
    """
    size = state_BD.shape[-1]
    # `split` and not slices: the gradient is then one concatenation.
    of_gates, of_new = inputs_BG.split([2 * size, size], dim=-1)
    recurrent_gates, recurrent_new = recurrent_BG.split([2 * size, size], dim=-1)
    reset, update = torch.sigmoid(of_gates + recurrent_gates).chunk(2, dim=-1)
    new = torch.tanh(torch.addcmul(of_new, reset, recurrent_new))
    return (torch.lerp(new, state_BD, update),)


def lstm_step(gates_BG: Tensor, cell_BD: Tensor) -> LayerState:
    """(h_t, c_t) from the sums of all gates.

    i, f, o = σ(…),  g = tanh(…),  c' = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh(c')
    """
    write, forget, new, show = gates_BG.chunk(4, dim=-1)
    cell = torch.addcmul(torch.sigmoid(forget) * cell_BD, torch.sigmoid(write), torch.tanh(new))
    return torch.sigmoid(show) * torch.tanh(cell), cell


class RecurrentStack(nn.Module):
    """Recurrent layers on top of each other, with dropout between them."""

    def __init__(self, cell: str, input_size: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.cell = cell
        sizes = [input_size] + [size] * (layers - 1)
        self.layers = nn.ModuleList(RecurrentLayer(cell, given, size) for given in sizes)
        self.dropout = Dropout(dropout)

    @property
    def bottom(self) -> RecurrentLayer:
        """The layer that sees the input."""
        return self.layer(0)

    def layer(self, number: int) -> RecurrentLayer:
        """One layer, counted from the input."""
        layer = self.layers[number]
        assert isinstance(layer, RecurrentLayer)
        return layer

    def forward(self, inputs_BTE: Tensor, states: Sequence[LayerState]) -> tuple[Tensor, tuple[LayerState, ...]]:
        """The top states [B, T, D] of a whole sequence, one call per layer, and the last state of each."""
        last: list[LayerState] = []
        current = inputs_BTE
        for number, state in enumerate(states):
            current, final = self.layer(number)(self.dropout(current) if number else current, state)
            last.append(final)
        return current, tuple(last)

    def dropout_scales(self, count: int, batch: int, like: Tensor) -> list[Tensor | None]:
        """Dropout factors [T, B, D] above each layer but the top, drawn at once for a loop over T steps."""
        shape = like.new_empty(()).expand(count, batch, self.size)
        return [self.dropout.scale_like(shape) for _ in range(len(self.layers) - 1)]

    def advance(
        self, gates_BG: Tensor, states: Sequence[LayerState], scales: Sequence[Tensor | None]
    ) -> tuple[LayerState, ...]:
        """Each layer's state one step later; `scales` are this step's dropout factors between the layers."""
        new = [self.bottom.advance(gates_BG, states[0])]
        for number in range(1, len(states)):
            below, scale = new[-1][0], scales[number - 1]
            layer = self.layer(number)
            gates = layer.input_gates(below if scale is None else below * scale)
            new.append(layer.advance(gates, states[number]))
        return tuple(new)


def xavier_linear(inputs: int, outputs: int, *, bias: bool = True) -> nn.Linear:
    """A linear layer with Xavier's weights and a zero bias."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
