"""What a recurrent decoder shows the output layer: state, context and word joined, or the bare state."""

import torch
from torch import Tensor, nn

from jumok.models.recurrent import xavier_linear


class Readout(nn.Module):
    """t_t = tanh(U s_t + C c_t + V y_{t−1} + b).

    With the word it is Bahdanau's deep output, with tanh in place of maxout; without it, Luong's attentional
    state s̃_t = tanh(W [c_t; s_t]), whose W = [C U] is stored in its two parts. A size of 0 leaves a part
    out.
    """

    def __init__(self, state_size: int, context_size: int, word_size: int, output_size: int) -> None:
        super().__init__()
        self.U = xavier_linear(state_size, output_size)
        self.C = xavier_linear(context_size, output_size, bias=False) if context_size else None
        self.V = xavier_linear(word_size, output_size, bias=False) if word_size else None

    def of_words(self, words: Tensor) -> Tensor | None:
        """The words' share V y, for all positions at once."""
        return None if self.V is None else self.V(words)

    def forward(self, states: Tensor, context: Tensor | None, from_words: Tensor | None) -> Tensor:
        total = self.U(states)
        if self.C is not None and context is not None:
            total = total + self.C(context)
        return torch.tanh(total if from_words is None else total + from_words)


class BareState(nn.Module):
    """s_t itself, through a matrix where the output layer has another size."""

    def __init__(self, state_size: int, output_size: int) -> None:
        super().__init__()
        same = state_size == output_size
        self.W = None if same else xavier_linear(state_size, output_size, bias=False)

    def of_words(self, words: Tensor) -> Tensor | None:
        """Nothing: words are not looked at."""
        return None

    def forward(self, states: Tensor, context: Tensor | None, from_words: Tensor | None) -> Tensor:
        return states if self.W is None else self.W(states)
