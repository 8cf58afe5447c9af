"""Self-attention over a grid of features: a position may ask any other (Zhang et al. 2019, arXiv:1805.08318).

    f = W_f x,  g = W_g x,  h = W_h x             1 × 1 convolutions from C to C / 8 channels
    s_ij = f(x_i)ᵀ g(x_j)                         how well position i answers position j
    β_ji = exp(s_ij) / Σ_i exp(s_ij)              where position j looks, over all positions
    o_j  = W_v Σ_i β_ji h(x_i)                    back to C channels
    y_j  = γ o_j + x_j                            γ is learned and starts at 0: the layer first does nothing

In the words of `attention/`: g gives the queries, f the keys, h the values, and the published mechanism is `dot`. Any
other of the catalogue may take its place; positions are then counted row by row, which is what a window goes by.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.attention import Attention, MultiHead, build
from jumok.errors import ShapeError
from jumok.models.self_attention import check_self_attention

SHARE = 8
"""The projections have a channel for so many of the input, as published."""


@dataclass(frozen=True)
class GridAttended:
    """New features [B, C, H, W], and the weights [B, H·W, H·W] when they were asked for: row j is where j looks."""

    features: Tensor
    weights: Tensor | None = None


class GridSelfAttention(nn.Module):
    """A layer for any network of feature maps: y = γ · attention(x) + x, [B, C, H, W] in and out.

    The projections are ordinary 1 × 1 convolutions named f, g, h and v, so that a spectral norm can be put on each.
    Without weights the fused kernel is used, which never holds the matrix of H·W × H·W. A mechanism that cannot look at
    `positions` (H·W, where it is known) is refused when the layer is made.
    """

    def __init__(
        self,
        channels: int,
        mechanism: str = "dot",
        *,
        inner: int | None = None,
        positions: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if channels < 1 or (inner is not None and inner < 1):
            raise ShapeError(f"Self-attention over a grid needs channels, got {channels} and inner={inner}.")
        inner = inner or max(1, channels // SHARE)
        self.channels, self.inner = channels, inner
        self.f, self.g, self.h = (nn.Conv2d(channels, inner, 1, bias=False) for _ in range(3))
        attend = build(
            mechanism, query_dim=inner, key_dim=inner, value_dim=inner, **{"heads": None, **(options or {})}
        )  # fmt: skip
        inside = attend.attention if isinstance(attend, MultiHead) else attend
        check_self_attention(inside, f"Mechanism '{mechanism}'", positions)
        self.attend: Attention | MultiHead = attend
        self.v = nn.Conv2d(attend.context_dim(inner), channels, 1, bias=False)
        self.gamma = nn.Parameter(torch.zeros(()))

    def forward(self, features_BCHW: Tensor) -> Tensor:
        """The new features."""
        return self.look(features_BCHW, need_weights=False).features

    def look(self, features_BCHW: Tensor, need_weights: bool = True, strength: float = 1.0) -> GridAttended:
        """The new features with where each position looked; `strength` multiplies γ, to see what it does."""
        if features_BCHW.dim() != 4 or features_BCHW.shape[1] != self.channels:
            raise ShapeError(
                f"Expected features [B, {self.channels}, H, W], got {[*features_BCHW.shape]}; the layer was made for "
                f"{self.channels} channels."
            )
        B, C, H, W = features_BCHW.shape
        # Positions as rows: a view where the channels of a position lie together (channels_last), else one copy.
        rows_BNC = features_BCHW.permute(0, 2, 3, 1).reshape(B, H * W, C)
        # One product for the three projections; each weight is read once, as a spectral norm wants it.
        together = torch.cat([part.weight.flatten(1) for part in (self.f, self.g, self.h)])
        keys, query, values = F.linear(rows_BNC, together).split(self.inner, dim=-1)
        attended = self.attend(query, keys, values, None, need_weights)
        found_BNC = F.linear(attended.context, self.v.weight.flatten(1))
        new = torch.addcmul(rows_BNC, self.gamma, found_BNC, value=strength).view(B, H, W, C).permute(0, 3, 1, 2)
        return GridAttended(new, attended.weights if need_weights else None)
