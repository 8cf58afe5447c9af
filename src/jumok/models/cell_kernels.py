"""The cells' arithmetic forward and backward, a step at a time, for loops that write their gradient by hand.

A tape keeps what backward needs of T steps, in memory that is allocated once. The plain steps are `gru_step` and
`lstm_step` in `recurrent.py`.
"""

import torch
from torch import Tensor

sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


class GRUTape:
    """r = σ(a_r + u_r),  z = σ(a_z + u_z),  n = tanh(a_n + r ⊙ u_n),  h' = (1 − z) ⊙ n + z ⊙ h.

    a are the input's shares of the gates, u the state's.
    """

    def __init__(self, steps: int, start: tuple[Tensor, ...]) -> None:
        (h_BD,) = start
        self.size = h_BD.shape[1]
        self.rz_TBG = h_BD.new_empty(steps, len(h_BD), 2 * self.size)
        self.n_TBD = h_BD.new_empty(steps, *h_BD.shape)
        self.leak_BD: Tensor | None = None

    def start_backward(self) -> None:
        """Forgets an earlier walk back."""
        self.leak_BD = None

    def forward(self, t: int, a_BG: Tensor, u_BG: Tensor, h_BD: Tensor, out_BD: Tensor) -> None:
        """Writes the state after step t."""
        D, rz, n = self.size, self.rz_TBG[t], self.n_TBD[t]
        torch.add(a_BG[:, : 2 * D], u_BG[:, : 2 * D], out=rz).sigmoid_()
        torch.addcmul(a_BG[:, 2 * D :], rz[:, :D], u_BG[:, 2 * D :], out=n).tanh_()
        torch.lerp(n, h_BD, rz[:, D:], out=out_BD)

    def backward(self, t: int, d_h_BD: Tensor, u_BG: Tensor, h_BD: Tensor, d_a_BG: Tensor, d_u_BG: Tensor) -> None:
        """Writes the gradients of a and u; `d_h_BD` is that of the state after the step, without the leak."""
        D, n = self.size, self.n_TBD[t]
        r, z = self.rz_TBG[t].split(D, dim=1)
        if self.leak_BD is not None:
            d_h_BD = d_h_BD + self.leak_BD
        d_a_n, d_u_n = d_a_BG[:, 2 * D :], d_u_BG[:, 2 * D :]
        sigmoid_backward.grad_input((h_BD - n).mul_(d_h_BD), z, grad_input=d_a_BG[:, D : 2 * D])
        self.leak_BD = d_h_BD * z
        tanh_backward.grad_input(d_h_BD - self.leak_BD, n, grad_input=d_a_n)
        sigmoid_backward.grad_input(d_a_n * u_BG[:, 2 * D :], r, grad_input=d_a_BG[:, :D])
        d_u_BG[:, : 2 * D] = d_a_BG[:, : 2 * D]
        torch.mul(d_a_n, r, out=d_u_n)

    def start_gradients(self, d_h_BD: Tensor) -> tuple[Tensor, ...]:
        """The gradient of the start, given what flowed through the products."""
        return (d_h_BD if self.leak_BD is None else d_h_BD + self.leak_BD,)


class LSTMTape:
    """i, f, o = σ(a + u),  g = tanh(a + u),  c' = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh(c')."""

    def __init__(self, steps: int, start: tuple[Tensor, ...]) -> None:
        h_BD, c_BD = start
        self.size = h_BD.shape[1]
        self.gates_TBG = h_BD.new_empty(steps, len(h_BD), 4 * self.size)
        self.c_TBD = h_BD.new_empty(steps + 1, *h_BD.shape)
        self.c_TBD[0] = c_BD
        self.tanh_c_TBD = h_BD.new_empty(steps, *h_BD.shape)
        self.d_c_BD: Tensor | None = None

    def start_backward(self) -> None:
        """Forgets an earlier walk back."""
        self.d_c_BD = None

    def forward(self, t: int, a_BG: Tensor, u_BG: Tensor, h_BD: Tensor, out_BD: Tensor) -> None:
        """Writes the state after step t."""
        D, gates = self.size, torch.add(a_BG, u_BG, out=self.gates_TBG[t])
        gates[:, : 2 * D].sigmoid_()
        gates[:, 2 * D : 3 * D].tanh_()
        gates[:, 3 * D :].sigmoid_()
        i, f, g, o = gates.split(D, dim=1)
        c = torch.mul(f, self.c_TBD[t], out=self.c_TBD[t + 1]).addcmul_(i, g)
        torch.mul(o, torch.tanh(c, out=self.tanh_c_TBD[t]), out=out_BD)

    def backward(self, t: int, d_h_BD: Tensor, u_BG: Tensor, h_BD: Tensor, d_a_BG: Tensor, d_u_BG: Tensor) -> None:
        """Writes the gradients of a and u; `d_h_BD` is that of the state after the step."""
        D, tanh_c = self.size, self.tanh_c_TBD[t]
        i, f, g, o = self.gates_TBG[t].split(D, dim=1)
        d_c = tanh_backward(d_h_BD * o, tanh_c)
        if self.d_c_BD is not None:
            d_c += self.d_c_BD
        sigmoid_backward.grad_input(d_c * g, i, grad_input=d_a_BG[:, :D])
        sigmoid_backward.grad_input(d_c * self.c_TBD[t], f, grad_input=d_a_BG[:, D : 2 * D])
        tanh_backward.grad_input(d_c * i, g, grad_input=d_a_BG[:, 2 * D : 3 * D])
        sigmoid_backward.grad_input(d_h_BD * tanh_c, o, grad_input=d_a_BG[:, 3 * D :])
        d_u_BG.copy_(d_a_BG)
        self.d_c_BD = d_c.mul_(f)

    def start_gradients(self, d_h_BD: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the start, given what flowed through the products."""
        return d_h_BD, torch.zeros_like(d_h_BD) if self.d_c_BD is None else self.d_c_BD


TAPES: dict[str, type[GRUTape] | type[LSTMTape]] = {"gru": GRUTape, "lstm": LSTMTape}
