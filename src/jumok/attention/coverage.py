"""Scores that carry a state from one query to the next."""

from abc import abstractmethod
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from jumok.attention.kernels import additive_scores_plain
from jumok.attention.score import Keys, Queries, Score, Scores, additive_parameters
from jumok.attention.terms import Axis, Term, Terms


class StatefulScore(Score):
    """A score that also looks at a state, such as what has been attended so far."""

    @abstractmethod
    def initial_state(self, keys: Float[Tensor, "*batch S P"]) -> Tensor:
        """The state before the first query, for prepared keys."""

    @abstractmethod
    def with_state(
        self, query: Float[Tensor, "*batch 1 Q"], keys: Float[Tensor, "*batch S P"], state: Tensor
    ) -> Tensor:
        """The scores of one query."""

    @abstractmethod
    def next_state(self, state: Tensor, weights: Float[Tensor, "*batch 1 S"]) -> Tensor:
        """The state after that query got these weights."""

    def state_terms(self, query: Queries, keys: Float[Tensor, "*batch S P"], states: Sequence[Tensor]) -> Terms:
        """Named intermediates of the formula, given the state before each query."""
        batch = keys.ndim - 2
        carried = torch.stack(list(states), batch)
        inner: tuple[Axis, ...] = ("unnamed",) * (carried.ndim - batch - 1)
        return {"carried": Term(carried, ("target", *inner))}

    def forward(self, query: Queries, keys: Float[Tensor, "*batch S P"]) -> Scores:
        state = self.initial_state(keys)
        return torch.cat([self.with_state(query[..., t : t + 1, :], keys, state) for t in range(query.shape[-2])], -2)


class Coverage(StatefulScore):
    """e(q, k_i) = v_aᵀ tanh(W_q q + W_k k_i + w_c cov_i), cov_i = past weights on i.

    Tu et al. 2016, See et al. 2017.
    """

    name = "coverage"
    formula = "v_aᵀ tanh(W_q q + W_k k_i + w_c cov_i)"

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int | None = None) -> None:
        super().__init__(query_dim, key_dim)
        self.W_q, self.W_k, v = additive_parameters(query_dim, key_dim, attention_dim or query_dim)
        self.w_c = nn.Parameter(torch.zeros(len(v)))
        self.v = v

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S A"]:
        return F.linear(keys, self.W_k)

    def initial_state(self, keys: Float[Tensor, "*batch S A"]) -> Float[Tensor, "*batch S"]:
        return keys.new_zeros(keys.shape[:-1])

    def with_state(
        self,
        query: Float[Tensor, "*batch 1 Q"],
        keys: Float[Tensor, "*batch S A"],
        state: Float[Tensor, "*batch S"],
    ) -> Float[Tensor, "*batch 1 S"]:
        return additive_scores_plain(F.linear(query, self.W_q), keys + state.unsqueeze(-1) * self.w_c, self.v)

    def state_terms(self, query: Queries, keys: Float[Tensor, "*batch S A"], states: Sequence[Tensor]) -> Terms:
        covered = torch.stack(list(states), -2)
        W_q_q = F.linear(query, self.W_q)
        hidden = torch.tanh(W_q_q.unsqueeze(-2) + keys.unsqueeze(-3) + covered.unsqueeze(-1) * self.w_c)
        return {
            "W_q q": Term(W_q_q, ("target", "hidden")),
            "W_k k": Term(keys, ("source", "hidden"), "W_k k_i"),
            "coverage": Term(covered, ("target", "source"), "cov_i"),
            "w_c": Term(self.w_c, ("hidden",), constant=True),
            "tanh": Term(hidden, ("target", "source", "hidden"), "u_i = tanh(…)"),
            "v": Term(self.v, ("hidden",), "v_a", constant=True),
        }

    def next_state(
        self, state: Float[Tensor, "*batch S"], weights: Float[Tensor, "*batch 1 S"]
    ) -> Float[Tensor, "*batch S"]:
        return state + weights.squeeze(-2)
