"""Scopes: which positions may be looked at, from where the query is?

A scope gives a `View`: a mask over all source positions, or a window of a few of them, and sometimes a gain that
multiplies the weights after they are normalised (Luong's Gaussian). It depends on the *position* of each query, so a
decoding step passes its own.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, Num
from torch import Tensor, nn

from jumok.attention.terms import Term, Terms
from jumok.errors import ShapeError

Positions = Int[Tensor, "*#batch T"]
Lengths = Num[Tensor, "*#batch #T"]


@dataclass(frozen=True)
class View:
    """What a query may see: `mask` over S positions, or over the W positions named by `index`."""

    mask: Bool[Tensor, "*#batch #T W"] | None = None
    gain: Float[Tensor, "*#batch #T W"] | None = None
    index: Int[Tensor, "*#batch T W"] | None = None
    centre: Float[Tensor, "*#batch T"] | None = None


class Scope(nn.Module, ABC):
    """Decides what each query may see; subclasses give `name`, `formula` and `forward`."""

    name: ClassVar[str]
    formula: ClassVar[str] = ""

    @abstractmethod
    def forward(self, query: Float[Tensor, "*batch T Q"], positions: Positions, lengths: Lengths, size: int) -> View:
        """The view of each query at its position, over `size` source positions of which `lengths` are real."""

    def terms(self, query: Tensor) -> Terms:
        """Named intermediates of the scope, for explanations and pictures."""
        return {}


class Global(Scope):
    """Everything."""

    name = "global"
    formula = "0 ≤ i < n"

    def forward(self, query: Float[Tensor, "*batch T Q"], positions: Positions, lengths: Lengths, size: int) -> View:
        return View()


class Causal(Scope):
    """Positions up to the query's own: i ≤ t."""

    name = "causal"
    formula = "i ≤ t"

    def forward(self, query: Float[Tensor, "*batch T Q"], positions: Positions, lengths: Lengths, size: int) -> View:
        index = torch.arange(size, device=query.device)
        return View(mask=index <= positions.unsqueeze(-1))


class Local(Scope):
    """A window of D positions on each side of a centre p_t; only the window is ever computed."""

    def __init__(self, D: int = 10) -> None:
        super().__init__()
        if D < 0:
            raise ShapeError(f"The half-width D of a local scope must be at least 0, got {D}.")
        self.D = D

    @abstractmethod
    def centre(self, query: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
        """p_t for each query."""

    def gain(self, offset: Tensor) -> Tensor | None:
        """What multiplies the weight of a position at i − p_t."""
        return None

    def forward(self, query: Float[Tensor, "*batch T Q"], positions: Positions, lengths: Lengths, size: int) -> View:
        centre = self.centre(query, positions, lengths)
        width = 2 * self.D + 1
        if width >= size:  # the window is no narrower than the source: the dense view is the cheaper one
            index = torch.arange(size, device=query.device)
            offset = index - centre.unsqueeze(-1)
            return View(mask=self.inside(offset), gain=self.gain(offset), centre=centre)
        first = (centre.detach() - self.D).ceil().long().unsqueeze(-1)
        index = first + torch.arange(width, device=query.device)
        offset = index - centre.unsqueeze(-1)
        mask = self.inside(offset) & (index >= 0) & (index < size)
        return View(mask=mask, gain=self.gain(offset), index=index.clamp(0, size - 1), centre=centre)

    def inside(self, offset: Tensor) -> Tensor:
        """Whether a position at i − p_t lies in the window [p_t − D, p_t + D]."""
        return offset.abs() <= self.D


class Window(Local):
    """|i − t| ≤ w, or the last w + 1 positions up to t when causal: sliding-window self-attention."""

    name = "window"
    formula = "|i − t| ≤ w"

    def __init__(self, w: int = 10, causal: bool = False) -> None:
        super().__init__(D=w)
        self.causal = causal

    def centre(self, query: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
        return positions.to(query.dtype if query.dtype == torch.float64 else torch.float32)

    def inside(self, offset: Tensor) -> Tensor:
        near = super().inside(offset)
        return near & (offset <= 0) if self.causal else near


class LocalM(Local):
    """Luong's monotonic local attention: the centre is p_t = t."""

    name = "local_m"
    formula = "|i − t| ≤ D"

    def centre(self, query: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
        return positions.to(query.dtype if query.dtype == torch.float64 else torch.float32)


class LocalP(Local):
    """Luong's predictive local attention.

    p_t = n · sigmoid(v_pᵀ tanh(W_p s_t)), and the weights in [p_t − D, p_t + D] are multiplied by the Gaussian
    exp(−(i − p_t)² / 2σ²), σ = D/2, *after* the softmax, as published: they sum to at most 1. `renormalise` makes
    them sum to 1. The gradient reaches p_t through the Gaussian.
    """

    name = "local_p"
    formula = "|i − p_t| ≤ D, × exp(−(i−p_t)²/2σ²), σ = D/2"

    def __init__(
        self, query_dim: int, D: int = 10, renormalise: bool = False, attention_dim: int | None = None
    ) -> None:
        super().__init__(D)
        if D < 1:
            raise ShapeError("local_p needs D ≥ 1, because its Gaussian has σ = D/2.")
        self.renormalise = renormalise
        self.W_p = nn.Linear(query_dim, attention_dim or query_dim, bias=False)
        self.v_p = nn.Linear(attention_dim or query_dim, 1, bias=False)

    def centre(self, query: Tensor, positions: Tensor, lengths: Tensor) -> Tensor:
        share = self._share(query)
        # Half precision cannot name positions beyond a few hundred: the centre is kept in float32.
        return lengths * share.to(torch.promote_types(query.dtype, torch.float32))

    def _share(self, query: Tensor) -> Tensor:
        """How far into the source the query wants to look: 0 is its beginning, 1 its end."""
        return torch.sigmoid(self.v_p(torch.tanh(self.W_p(query)))).squeeze(-1)

    def terms(self, query: Tensor) -> Terms:
        return {
            "tanh(W_p s)": Term(torch.tanh(self.W_p(query)), ("target", "hidden"), "tanh(W_p q)"),
            "share": Term(self._share(query), ("target",), "sigmoid(v_pᵀ tanh(W_p q))"),
        }

    def gain(self, offset: Tensor) -> Tensor:
        sigma = self.D / 2
        return torch.exp(-offset.square() / (2 * sigma**2))


def positions_of(query: Tensor, offset: int = 0) -> Int[Tensor, " T"]:
    """0 … T−1 (+ offset), where queries of a whole sequence stand."""
    return torch.arange(offset, offset + query.shape[-2], device=query.device)


def lengths_of(mask: Tensor | None, size: int, device: torch.device) -> Tensor:
    """How many source positions are real for each query: one past the last that may be attended."""
    if mask is None:
        return torch.full((1,), size, device=device)
    index = torch.arange(1, size + 1, device=mask.device)
    return (mask * index).amax(-1)


def gather_window(
    states: Float[Tensor, "*batch S P"], index: Int[Tensor, "*batch T W"]
) -> Float[Tensor, "*batch T W P"]:
    """The rows of `states` that each query's window names."""
    *batch, T, W = index.shape
    flat = states.reshape(-1, *states.shape[-2:])
    rows = index.reshape(flat.shape[0], T * W)
    shift = torch.arange(flat.shape[0], device=index.device).unsqueeze(-1) * flat.shape[1]
    taken = F.embedding((rows + shift).reshape(-1), flat.reshape(-1, flat.shape[-1]))
    return taken.view(*batch, T, W, states.shape[-1])
