"""Multi-head attention: several small looks at once, from the same pieces.

    head_h = Attention(W_q^h q, W_k^h k, W_v^h v);   context = W_o [head_1; …; head_H]        (Vaswani et al. 2017)

Any `Attention` can be the one inside: the heads share its parameters, each seeing its own projections.
"""

import torch
from torch import Tensor, nn

from jumok.attention.attention import Attended, Attention, Prepared
from jumok.attention.checks import Sizes, check_inputs, check_mask, check_positions
from jumok.attention.rotary import Rotary
from jumok.attention.terms import Term, Terms, over_heads
from jumok.errors import ShapeError


class MultiHead(nn.Module):
    """An attention of `heads` heads; `attention` works on vectors of `head_dim`."""

    def __init__(
        self,
        attention: Attention,
        *,
        query_dim: int,
        key_dim: int,
        value_dim: int,
        heads: int,
        bias: bool = True,
        output_dim: int | None = None,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        self.attention, self.heads = attention, heads
        self.sizes = Sizes(query_dim, key_dim, value_dim)
        self.head_dim = attention.score.query_dim
        if attention.score.key_dim != self.head_dim:
            raise ShapeError(
                f"The attention inside a multi-head needs query_dim = key_dim = head_dim, got {self.head_dim} and "
                f"{attention.score.key_dim}."
            )
        inner = heads * self.head_dim
        self.W_q = nn.Linear(query_dim, inner, bias=bias)
        self.W_k = nn.Linear(key_dim, inner, bias=bias)
        self.W_v = nn.Linear(value_dim, inner, bias=bias)
        self.W_o = nn.Linear(inner, output_dim or query_dim, bias=bias)
        self.rotary = Rotary(self.head_dim) if rotary else None
        for layer in (self.W_q, self.W_k, self.W_v, self.W_o):
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)

    def context_dim(self, value_dim: int) -> int:
        """The size of a context vector: that of the output projection."""
        return self.W_o.out_features

    def prepare(
        self, keys: Tensor, values: Tensor | None = None, mask: Tensor | None = None, *, offset: int = 0
    ) -> Prepared:
        """Keys and values projected and split into heads, once per sentence; `offset` is the first key's position."""
        values = keys if values is None else values
        check_inputs(self.sizes, None, keys, values, mask)
        heads_k = self._split(self.W_k(keys))
        if self.rotary is not None:
            heads_k = self.rotary(heads_k, torch.arange(offset, offset + keys.shape[-2], device=keys.device))
        return self.attention.prepare(heads_k, self._split(self.W_v(values)), shared_by_heads(mask, keys.dim()))

    def initial_state(self, prepared: Prepared) -> Tensor | None:
        """What a mechanism that carries a state starts a sentence with."""
        return self.attention.initial_state(prepared)

    def forward(
        self,
        query: Tensor,
        keys: Tensor | Prepared,
        values: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = True,
        *,
        positions: Tensor | None = None,
        state: Tensor | None = None,
        override: Tensor | None = None,
    ) -> Attended:
        """As `Attention`; weights and scores are [B,H,T,S], and so is `override` (or [B,T,S] for all heads alike)."""
        if isinstance(keys, Prepared):
            if values is not None:
                raise ShapeError("Prepared keys bring their own values; give `values` to prepare() instead.")
            prepared = keys
            self._check_query(query, prepared, mask)
            mask = shared_by_heads(mask, query.dim())
        else:
            check_inputs(self.sizes, query, keys, keys if values is None else values, mask)
            prepared, mask = self.prepare(keys, values, mask), None
        check_positions(positions, query)
        heads_q = self._split(self.W_q(query))
        where = None if positions is None else positions.unsqueeze(-2) if positions.dim() > 1 else positions
        if self.rotary is not None:
            turn = torch.arange(query.shape[-2], device=query.device) if where is None else where
            heads_q = self.rotary(heads_q, turn)
        if override is not None and override.dim() == query.dim():
            override = override.unsqueeze(-3)
        out = self.attention(
            heads_q, prepared, None, mask, need_weights, positions=where, state=state, override=override
        )
        context = self.W_o(out.context.transpose(-3, -2).flatten(-2))
        return Attended(
            context,
            lambda: out.weights,  # looked at later, if at all: a local scope spreads its windows only then
            lambda: out.scores,
            out.state,
            out.log_prob,
            lambda: self._terms(heads_q, prepared, out),
            ("head", "target", "source"),
            out.entropy,
        )

    def _terms(self, heads_q: Tensor, prepared: Prepared, out: Attended) -> Terms:
        """The projections, what the attention inside computed of them, and what each head found."""
        inside = {name: over_heads(term, self.heads) for name, term in out.explain().items()}
        return {
            "q_h": Term(heads_q, ("head", "target", "query"), part="project"),
            "k_h": Term(prepared.keys, ("head", "source", "key"), part="project"),
            "v_h": Term(prepared.values, ("head", "source", "value"), part="project"),
            "heads": Term(out.context, ("head", "target", "value")),
            **inside,
        }

    def _check_query(self, query: Tensor, prepared: Prepared, mask: Tensor | None) -> None:
        rows = prepared.values[..., 0, :, :1]  # [B, S, 1]: the first head stands for all
        check_inputs(Sizes(self.sizes.query, 1, 1), query, None, rows, None)
        if mask is not None:
            check_mask(mask, query.shape[:-2], query.shape[-2], rows.shape[-2])

    def _split(self, states: Tensor) -> Tensor:
        """[B, T, H·d] as [B, H, T, d]."""
        return states.view(*states.shape[:-1], self.heads, self.head_dim).transpose(-3, -2)


def shared_by_heads(mask: Tensor | None, dims: int) -> Tensor | None:
    """A mask [B,T,S] that every head shares."""
    return mask.unsqueeze(-3) if mask is not None and mask.dim() == dims else mask
