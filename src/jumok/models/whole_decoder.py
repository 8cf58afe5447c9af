"""A whole target through one recurrent layer with attention, as a single operation with a gradient of its own.

Autograd would record a dozen nodes for every step, multiply each step's weight gradients on their own and add them
up. Here the loop keeps what backward needs in memory allocated once; walking back, a step makes the gradients that
earlier steps wait for, and every weight's gradient is one product over all steps at the end.

Everything that meets a state h_t is one product with the stacked matrix P = [U; W_q; R_U; w]: the gates' share of the
next step, the query, the readout's share and what β_t = σ(w·h + b), the gate of the context, is made of.
`RNNDecoder._in_steps` is the plain path.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from jumok.attention.step_kernels import AdditiveSteps, AttentionSteps, DotSteps, StepForm
from jumok.models.cell_kernels import TAPES, GRUTape, LSTMTape, tanh_backward


@dataclass(frozen=True)
class StepLayout:
    """What does not change from batch to batch: the cell, the order of things, and where P's rows belong."""

    cell: str
    before: bool
    """Attention before the step (Bahdanau) rather than after it (Luong)."""
    feeding: bool
    """The readout joins the next step's input."""
    scale: float
    gates: slice
    query: slice
    readout: slice
    gate: slice

    @property
    def gated(self) -> bool:
        """Whether the context is scaled by β."""
        return self.gate.stop > self.gate.start

    @property
    def has_query_rows(self) -> bool:
        """Whether P makes the query; otherwise the state itself is the query."""
        return self.query.stop > self.query.start


@dataclass(frozen=True)
class Weights:
    """The matrices of the loop; what a model does not have is None."""

    U: Tensor
    b_U: Tensor | None
    W_c: Tensor | None
    W_f: Tensor | None
    R_U: Tensor | None
    R_C: Tensor | None
    form: StepForm
    gate: Tensor | None = None
    b_gate: Tensor | None = None


class Matrices(NamedTuple):
    """What the loop multiplies by."""

    P: Tensor
    W_c: Tensor | None
    W_f: Tensor | None
    R_C: Tensor | None


class Given(NamedTuple):
    """The gradients of the loop's results, None where nothing flows back."""

    states: Tensor | None
    contexts: Tensor | None
    readouts: Tensor | None
    weights: Tensor | None


@dataclass(frozen=True)
class Whole:
    """What the loop made: states and contexts, or readouts where they are fed back; and the weights."""

    states_TBD: Tensor
    contexts_TBC: Tensor
    readouts_TBO: Tensor | None
    weights_TBS: Tensor


def run_whole(
    cell: str,
    before: bool,
    gates_TBG: Tensor,
    readout_TBO: Tensor | None,
    start: tuple[Tensor, ...],
    keys_BSA: Tensor,
    values_BSC: Tensor,
    hidden_BS: Tensor | None,
    weights: Weights,
) -> Whole:
    """All steps of a decoder, from the words' shares of gates and (where it is fed back) readout.

    The readout is fed back where `readout_TBO` is given; its share must hold the bias.
    """
    form = weights.form
    rows = [(weights.U, weights.b_U), (form.W_q, None), (weights.R_U, None), (weights.gate, weights.b_gate)]
    sizes = [0 if part is None else len(part) for part, _ in rows]
    parts = [slice(sum(sizes[:n]), sum(sizes[: n + 1])) for n in range(len(rows))]
    layout = StepLayout(cell, before, readout_TBO is not None, form.scale, *parts)
    P = torch.cat([part for part, _ in rows if part is not None])
    bias = torch.cat([part.new_zeros(len(part)) if b is None else b for part, b in rows if part is not None])
    made = _WholeDecoder.apply(
        layout, query_limit(form, start[0]), hidden_BS, gates_TBG, readout_TBO, keys_BSA, values_BSC, P, bias,
        weights.W_c, weights.W_f, weights.R_C, form.v, *start,
    )  # fmt: skip
    return Whole(*made)


def query_limit(form: StepForm, start_BD: Tensor) -> float:
    """A number that no query can exceed.

    After a step a state is a mean of numbers within ±1 and of the state before (GRU), or a product of two numbers
    within ±1 (LSTM), so a row of W_q makes at most the sum of its absolute values of it.
    """
    if form.W_q is None:
        return 0.0
    largest = start_BD.detach().abs().max().clamp_min(1.0)
    return float(form.W_q.detach().abs().sum(1).max() * largest)


class _Loop:
    """The memory of one run through the steps; H[t] is the state before step t."""

    def __init__(
        self, layout: StepLayout, steps: int, start: tuple[Tensor, ...], P: Tensor, values_BSC: Tensor
    ) -> None:
        h_BD = start[0]
        self.layout, self.steps = layout, steps
        B = len(h_BD)
        self.H = h_BD.new_empty(steps + 1, *h_BD.shape)
        self.H[0] = h_BD
        self.HP = h_BD.new_empty(steps + 1, B, len(P))
        self.C = h_BD.new_empty(steps, B, values_BSC.shape[-1])
        # What attention gave, before the gate.
        self.looked = torch.empty_like(self.C) if layout.gated else self.C
        self.beta = h_BD.new_empty(steps, B, 1) if layout.gated else None
        self.tape: GRUTape | LSTMTape = TAPES[layout.cell](steps, start)

    def place(self, t: int) -> int:
        """The state that step t looks from: the one before it, or the one it made."""
        return t if self.layout.before else t + 1

    def look(self, t: int, attention: AttentionSteps) -> None:
        """Fills the context of step t."""
        attention.forward(t, self.query(t), self.looked[t])
        if self.beta is not None:
            torch.sigmoid(self.HP[self.place(t)][:, self.layout.gate], out=self.beta[t])
            torch.mul(self.looked[t], self.beta[t], out=self.C[t])

    def query(self, t: int) -> Tensor:
        """What step t asks."""
        place = self.place(t)
        return self.HP[place][:, self.layout.query] if self.layout.has_query_rows else self.H[place]

    def queries(self) -> Tensor:
        """The queries of all steps [T, B, A]."""
        asked = self.HP[..., self.layout.query] if self.layout.has_query_rows else self.H
        return asked[:-1] if self.layout.before else asked[1:]


class _WholeDecoder(torch.autograd.Function):
    """(states, contexts, readouts or None, weights) of all steps."""

    @staticmethod
    def forward(
        ctx: Any, layout: StepLayout, limit: float, hidden_BS, gates_TBG, readout_TBO, keys, values, P, bias,
        W_c, W_f, R_C, v, *start,
    ) -> Any:  # fmt: skip
        T = len(gates_TBG)
        loop = _Loop(layout, T, start, P, values)
        scores = DotSteps(keys, layout.scale) if v is None else AdditiveSteps(keys, v, layout.scale, limit)
        attention = AttentionSteps(scores, values, hidden_BS, T)
        O = gates_TBG.new_empty(T, *readout_TBO.shape[1:]) if layout.feeding else None
        a_BG = torch.empty_like(gates_TBG[0])
        torch.addmm(bias, loop.H[0], P.t(), out=loop.HP[0])
        for t in range(T):
            if layout.before:
                loop.look(t, attention)
                torch.addmm(gates_TBG[t], loop.C[t], W_c.t(), out=a_BG)
            else:
                a_BG.copy_(gates_TBG[t])
            if O is not None and t > 0:
                a_BG.addmm_(O[t - 1], W_f.t())
            loop.tape.forward(t, a_BG, loop.HP[t][:, layout.gates], loop.H[t], loop.H[t + 1])
            torch.addmm(bias, loop.H[t + 1], P.t(), out=loop.HP[t + 1])
            if not layout.before:
                loop.look(t, attention)
            if O is not None:
                torch.addmm(readout_TBO[t], loop.C[t], R_C.t(), out=O[t])
                O[t].add_(loop.HP[t + 1][:, layout.readout]).tanh_()
        ctx.loop, ctx.attention, ctx.O = loop, attention, O
        ctx.save_for_backward(P, W_c, W_f, R_C)
        ctx.set_materialize_grads(False)
        # Views: what backward reads must not lead back to this operation's own results.
        return loop.H[1:], loop.C.view_as(loop.C), None if O is None else O.view_as(O), attention.weights_TBS[:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor | None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        matrices = Matrices(*ctx.saved_tensors)
        loop, attention, O, layout = ctx.loop, ctx.attention, ctx.O, ctx.loop.layout
        back = _Backward(loop, attention, O, matrices)
        d_h = back.walk(Given(*grads))
        # One product over all steps for each matrix.
        flat_HP, flat_A, flat_C = (part.flatten(0, 1) for part in (back.d_HP, back.d_A, loop.C))
        d_P, d_bias = flat_HP.t() @ loop.H.flatten(0, 1), flat_HP.sum(0)
        d_W_c = flat_A.t() @ flat_C if layout.before else None
        d_W_f = d_R_C = None
        if O is not None and back.d_O is not None:
            d_W_f = back.d_A[1:].flatten(0, 1).t() @ O[:-1].flatten(0, 1)
            d_R_C = back.d_O.flatten(0, 1).t() @ flat_C
        d_keys, d_v, d_values = attention.finish(loop.queries(), back.d_C)
        return (
            None, None, None, back.d_A, back.d_O, d_keys, d_values, d_P, d_bias, d_W_c, d_W_f, d_R_C, d_v,
            *loop.tape.start_gradients(d_h),
        )  # fmt: skip


class _Backward:
    """The way back through the steps.

    `d_A`, `d_HP`, `d_C` and `d_O` are the gradients of the gates' input share, of H Pᵀ, of the contexts (behind β
    first, before it once their step is done), and of the readouts before their tanh.
    """

    def __init__(self, loop: _Loop, attention: AttentionSteps, O: Tensor | None, matrices: Matrices) -> None:
        self.loop, self.attention, self.O, self.matrices = loop, attention, O, matrices
        self.d_HP = torch.empty_like(loop.HP)
        # Not every product of the first and of the last state is asked for.
        self.d_HP[0].zero_()
        self.d_HP[-1].zero_()
        # Where the state itself is the query there is no row of P for it.
        self.d_Q = None if loop.layout.has_query_rows else torch.zeros_like(loop.H)
        self.d_A = loop.H.new_empty(loop.steps, len(loop.H[0]), loop.layout.gates.stop)
        self.d_C = torch.empty_like(loop.C)
        self.d_O = None if O is None else torch.empty_like(O)

    def walk(self, given: Given) -> Tensor:
        """Fills the gradients; gives that of the first state as far as it flowed through products."""
        loop, layout = self.loop, self.loop.layout
        loop.tape.start_backward()
        self.attention.start_backward()
        for t in reversed(range(loop.steps)):
            self._context(t, given)
            if not layout.before:
                self._look(t, given)
            d_h = self._state(t + 1)
            if given.states is not None:
                d_h += given.states[t]
            u, d_u = loop.HP[t][:, layout.gates], self.d_HP[t][:, layout.gates]
            loop.tape.backward(t, d_h, u, loop.H[t], self.d_A[t], d_u)
            if layout.before:
                assert self.matrices.W_c is not None
                self.d_C[t].addmm_(self.d_A[t], self.matrices.W_c)
                self._look(t, given)
        return self._state(0)

    def _context(self, t: int, given: Given) -> None:
        """What reaches context t from outside and through the readout, which may itself be fed to step t + 1."""
        d_c = self.d_C[t].zero_() if given.contexts is None else self.d_C[t].copy_(given.contexts[t])
        if self.O is None or self.d_O is None:
            return
        W_f, R_C = self.matrices.W_f, self.matrices.R_C
        assert W_f is not None
        assert R_C is not None
        d_o = torch.zeros_like(self.O[t]) if given.readouts is None else given.readouts[t]
        if t + 1 < self.loop.steps:
            d_o = torch.addmm(d_o, self.d_A[t + 1], W_f)
        tanh_backward.grad_input(d_o, self.O[t], grad_input=self.d_O[t])
        self.d_HP[t + 1][:, self.loop.layout.readout] = self.d_O[t]
        d_c.addmm_(self.d_O[t], R_C)

    def _look(self, t: int, given: Given) -> None:
        place, beta = self.loop.place(t), self.loop.beta
        if beta is not None:
            change_B1 = (self.d_C[t] * self.loop.looked[t]).sum(-1, keepdim=True)
            self.d_HP[place][:, self.loop.layout.gate] = change_B1 * beta[t] * (1 - beta[t])
            self.d_C[t].mul_(beta[t])
        out = self.d_HP[place][:, self.loop.layout.query] if self.d_Q is None else self.d_Q[place]
        d_weights = None if given.weights is None else given.weights[t]
        self.attention.backward(t, self.loop.query(t), self.d_C[t], d_weights, out)

    def _state(self, place: int) -> Tensor:
        """The gradient of H[place], without what its own cell leaks."""
        if self.d_Q is None:
            return torch.mm(self.d_HP[place], self.matrices.P)
        return torch.addmm(self.d_Q[place], self.d_HP[place], self.matrices.P)
