"""One GRU layer over a whole sequence, as a single operation with a gradient of its own.

torch's own GRU records each step and multiplies each step's weight gradient on its own; here the gradient of U is one
product over all steps. `RecurrentLayer.rnn` is the plain path.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from jumok.models.cell_kernels import GRUTape


def run_gru(gates_TBG: Tensor, U: Tensor, b_U: Tensor, start_BD: Tensor) -> Tensor:
    """The states [T, B, D] after each step, from the input's share of the gates."""
    return _WholeGRU.apply(gates_TBG, U, b_U, start_BD)


class _WholeGRU(torch.autograd.Function):
    """States of all steps."""

    @staticmethod
    def forward(ctx: Any, gates_TBG, U, b_U, start_BD) -> Any:
        T = len(gates_TBG)
        tape = GRUTape(T, (start_BD,))
        H = start_BD.new_empty(T + 1, *start_BD.shape)
        H[0] = start_BD
        u_TBG = torch.empty_like(gates_TBG)
        for t in range(T):
            torch.addmm(b_U, H[t], U.t(), out=u_TBG[t])
            tape.forward(t, gates_TBG[t], u_TBG[t], H[t], H[t + 1])
        ctx.tape, ctx.H, ctx.u_TBG = tape, H, u_TBG
        ctx.save_for_backward(U)
        return H[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        (U,), tape, H = ctx.saved_tensors, ctx.tape, ctx.H
        d_a, d_u = torch.empty_like(ctx.u_TBG), torch.empty_like(ctx.u_TBG)
        tape.start_backward()
        d_h, d_states = grads[0][-1], grads[0]
        for t in reversed(range(len(d_a))):
            tape.backward(t, d_h, ctx.u_TBG[t], H[t], d_a[t], d_u[t])
            d_h = torch.addmm(d_states[t - 1], d_u[t], U) if t else torch.mm(d_u[t], U)
        flat_u = d_u.flatten(0, 1)
        return d_a, flat_u.t() @ H[:-1].flatten(0, 1), flat_u.sum(0), *tape.start_gradients(d_h)
