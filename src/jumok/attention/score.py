"""Scores: how well does each source position match the query?

    scores_BTS = score(query_BTQ, keys_BSK)

Each score is one small module. What depends on the keys alone is done once per sentence by `prepare`; `forward` gets
its result. Any leading dimensions (batch, heads, windows) are allowed as long as both arguments share them.
"""

import math
from abc import ABC, abstractmethod
from itertools import pairwise
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from jumok.attention.kernels import additive_scores
from jumok.attention.terms import Term, Terms
from jumok.errors import ShapeError, UnknownNameError, did_you_mean

Queries = Float[Tensor, "*batch T Q"]
Keys = Float[Tensor, "*batch S K"]
Scores = Float[Tensor, "*batch T S"]


class DotForm:
    """A score written as scale · q'ᵀk', which torch's fused attention can compute."""

    def __init__(self, query: Tensor, keys: Tensor, scale: float) -> None:
        self.query, self.keys, self.scale = query, keys, scale


class Score(nn.Module, ABC):
    """A similarity of queries and keys; subclasses give `name`, `formula` and `forward`."""

    name: ClassVar[str]
    formula: ClassVar[str] = ""

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        self.query_dim, self.key_dim = query_dim, key_dim

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S P"]:
        """What `forward` gets as keys: the work that does not depend on the query, done once per sentence."""
        return keys

    @abstractmethod
    def forward(self, query: Queries, keys: Float[Tensor, "*batch S P"]) -> Scores:
        """One score for each query and prepared key."""

    def dot_form(self, query: Tensor, keys: Tensor) -> DotForm | None:
        """The score as a scaled dot product of prepared keys, where it is one."""
        return None

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        """Named intermediates of the formula, for explanations and pictures."""
        return {}

    @property
    def most_keys(self) -> int | None:
        """How many keys the score has parameters for; None: any number."""
        return None

    def need_equal_sizes(self) -> None:
        """Raises unless a query and a key have the same size."""
        if self.query_dim != self.key_dim:
            raise ShapeError(
                f"Score '{self.name}' needs queries and keys of equal size, got query_dim={self.query_dim} and "
                f"key_dim={self.key_dim}; make them equal or use 'general' or 'additive'."
            )


class PositionalScore(Score):
    """A score that looks at where a key stands, not at what it holds."""

    @abstractmethod
    def at(self, query: Queries, index: Int[Tensor, "*#batch #T S"]) -> Scores:
        """One score for each query and source position in `index`."""

    def forward(self, query: Queries, keys: Keys) -> Scores:
        index = torch.arange(keys.shape[-2], device=keys.device)
        return self.at(query, index.expand(*query.shape[:-1], -1))


class Dot(Score):
    """e(q, k_i) = qᵀ k_i (Luong et al. 2015)."""

    name = "dot"
    formula = "qᵀ k_i"

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(query_dim, key_dim)
        self.need_equal_sizes()

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return query @ keys.mT

    def dot_form(self, query: Tensor, keys: Tensor) -> DotForm:
        return DotForm(query, keys, 1.0)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        products = query.unsqueeze(-2) * keys.unsqueeze(-3)
        return {"products": Term(products, ("target", "source", "key"), "q ⊙ k_i")}


class ScaledDot(Score):
    """e(q, k_i) = qᵀ k_i / √d_k (Vaswani et al. 2017).

    The dot product of two vectors of d_k independent unit-variance numbers has variance d_k; without the scale the
    softmax saturates as d_k grows and its gradient vanishes.
    """

    name = "scaled_dot"
    formula = "qᵀ k_i / √d_k"

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(query_dim, key_dim)
        self.need_equal_sizes()
        self.scale = 1.0 / math.sqrt(key_dim)

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return (query * self.scale) @ keys.mT

    def dot_form(self, query: Tensor, keys: Tensor) -> DotForm:
        return DotForm(query, keys, self.scale)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        scale = torch.tensor(self.scale, dtype=query.dtype)
        return {
            "dots": Term(query @ keys.mT, ("target", "source"), "qᵀ k_i"),
            "scale": Term(scale, (), "1/√d_k", constant=True),
        }


class General(Score):
    """e(q, k_i) = qᵀ W k_i (Luong et al. 2015)."""

    name = "general"
    formula = "qᵀ W k_i"

    def __init__(self, query_dim: int, key_dim: int, identity: bool = False) -> None:
        super().__init__(query_dim, key_dim)
        self.W = nn.Parameter(torch.empty(query_dim, key_dim))
        if identity:
            nn.init.eye_(self.W)  # it begins as the dot product
        else:
            nn.init.xavier_uniform_(self.W)

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S Q"]:
        # W k_i once per sentence, instead of qᵀ W once per step.
        return F.linear(keys, self.W)

    def forward(self, query: Queries, keys: Float[Tensor, "*batch S Q"]) -> Scores:
        return query @ keys.mT

    def dot_form(self, query: Tensor, keys: Tensor) -> DotForm:
        return DotForm(query, keys, 1.0)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        return {
            "W": Term(self.W, ("query", "key"), constant=True),
            "qW": Term(query @ self.W, ("target", "key"), "qᵀ W"),
            "Wk": Term(keys, ("source", "query"), "W k_i"),
        }


def additive_parameters(query_dim: int, key_dim: int, attention_dim: int) -> tuple[nn.Parameter, ...]:
    """W_q, W_k and v of an additive score, with random values."""
    W_q = nn.Parameter(torch.empty(attention_dim, query_dim))
    W_k = nn.Parameter(torch.empty(attention_dim, key_dim))
    v = nn.Parameter(torch.empty(attention_dim))
    nn.init.xavier_uniform_(W_q)
    nn.init.xavier_uniform_(W_k)
    nn.init.uniform_(v, -1 / math.sqrt(attention_dim), 1 / math.sqrt(attention_dim))
    return W_q, W_k, v


def additive_terms(query_part: Tensor, key_part: Tensor, v: Tensor) -> Terms:
    """The terms of v_aᵀ tanh(W_q q + W_k k_i), from both products."""
    hidden = torch.tanh(query_part.unsqueeze(-2) + key_part.unsqueeze(-3))
    return {
        "W_q q": Term(query_part, ("target", "hidden")),
        "W_k k": Term(key_part, ("source", "hidden"), "W_k k_i"),
        "tanh": Term(hidden, ("target", "source", "hidden"), "u_i = tanh(…)"),
        "v": Term(v, ("hidden",), "v_a", constant=True),
    }


class Additive(Score):
    """e(q, k_i) = v_aᵀ tanh(W_q q + W_k k_i) (Bahdanau et al. 2015)."""

    name = "additive"
    formula = "v_aᵀ tanh(W_q q + W_k k_i)"

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int | None = None) -> None:
        super().__init__(query_dim, key_dim)
        self.W_q, self.W_k, self.v = additive_parameters(query_dim, key_dim, attention_dim or query_dim)

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S A"]:
        return F.linear(keys, self.W_k)

    def forward(self, query: Queries, keys: Float[Tensor, "*batch S A"]) -> Scores:
        return additive_scores(F.linear(query, self.W_q), keys, self.v)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        return additive_terms(F.linear(query, self.W_q), keys, self.v)


class Concat(Score):
    """e(q, k_i) = v_aᵀ tanh(W [q; k_i]) (Luong et al. 2015).

    W [q; k_i] = W_q q + W_k k_i for W = [W_q W_k], so the concatenation is never built and the score is the additive
    one with its two matrices stored side by side.
    """

    name = "concat"
    formula = "v_aᵀ tanh(W [q; k_i])"

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int | None = None) -> None:
        super().__init__(query_dim, key_dim)
        attention_dim = attention_dim or query_dim
        self.W = nn.Parameter(torch.empty(attention_dim, query_dim + key_dim))
        self.v = nn.Parameter(torch.empty(attention_dim))
        nn.init.xavier_uniform_(self.W)
        nn.init.uniform_(self.v, -1 / math.sqrt(attention_dim), 1 / math.sqrt(attention_dim))

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S A"]:
        return F.linear(keys, self.W[:, self.query_dim :])

    def forward(self, query: Queries, keys: Float[Tensor, "*batch S A"]) -> Scores:
        return additive_scores(F.linear(query, self.W[:, : self.query_dim]), keys, self.v)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        return additive_terms(F.linear(query, self.W[:, : self.query_dim]), keys, self.v)


class Perceptron(Score):
    """layers=1: e(q, k_i) = w·[q; k_i]; layers=n: a perceptron of n layers with tanh between them.

    With one layer the query's part w_q·q is the same for every key and cancels in the softmax: such a model looks at
    the same place whatever it is asked. Two layers or more mix query and key before the last one.
    """

    name = "perceptron"
    formula = "MLP([q; k_i])"

    def __init__(self, query_dim: int, key_dim: int, layers: int = 2, attention_dim: int | None = None) -> None:
        super().__init__(query_dim, key_dim)
        if layers < 1:
            raise ShapeError(f"A perceptron score needs layers ≥ 1, got {layers}.")
        sizes = [attention_dim or query_dim] * (layers - 1) + [1]
        # The first layer, split: W [q; k] = W_q q + W_k k, so that keys are projected once per sentence.
        self.W_q = nn.Linear(query_dim, sizes[0], bias=False)
        self.W_k = nn.Linear(key_dim, sizes[0])
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))

    def prepare(self, keys: Keys) -> Float[Tensor, "*batch S A"]:
        return self.W_k(keys)

    def forward(self, query: Queries, keys: Float[Tensor, "*batch S A"]) -> Scores:
        return self._hidden(query, keys)[-1].squeeze(-1)

    def _hidden(self, query: Tensor, keys: Tensor) -> list[Tensor]:
        values = [self.W_q(query).unsqueeze(-2) + keys.unsqueeze(-3)]
        for layer in self.layers:
            values.append(layer(torch.tanh(values[-1])))
        return values

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        values = self._hidden(query, keys)
        labels = ["W_q q + W_k k_i + b_1", *(f"W_{n} tanh(…) + b_{n}" for n in range(2, len(values) + 1))]
        return {
            f"layer {n}": Term(value, ("target", "source", "hidden"), label)
            for n, (value, label) in enumerate(zip(values, labels, strict=True), 1)
        }


class Cosine(Score):
    """e(q, k_i) = β cos(q, k_i) with a learned sharpness β > 0 (Graves et al. 2014)."""

    name = "cosine"
    formula = "β cos(q, k_i)"

    def __init__(self, query_dim: int, key_dim: int, beta: float = 10.0) -> None:
        super().__init__(query_dim, key_dim)
        self.need_equal_sizes()
        if beta <= 0:
            raise ShapeError(f"The sharpness beta of a cosine score must be positive, got {beta}.")
        self.log_beta = nn.Parameter(torch.tensor(math.log(beta)))

    def prepare(self, keys: Keys) -> Keys:
        return F.normalize(keys, dim=-1)

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return self._sharp(query) @ keys.mT

    def _sharp(self, query: Tensor) -> Tensor:
        return F.normalize(query, dim=-1) * self.log_beta.exp().to(query.dtype)

    def dot_form(self, query: Tensor, keys: Tensor) -> DotForm:
        return DotForm(self._sharp(query), keys, 1.0)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        return {
            "cos": Term(F.normalize(query, dim=-1) @ keys.mT, ("target", "source"), "cos(q, k_i)"),
            "beta": Term(self.log_beta.exp(), (), "β", constant=True),
        }


class Location(PositionalScore):
    """e(q, k_i) = (W q)_i: where to look is read off the query alone (Luong et al. 2015)."""

    name = "location"
    formula = "(W q)_i"

    def __init__(self, query_dim: int, key_dim: int, max_length: int = 512) -> None:
        super().__init__(query_dim, key_dim)
        if max_length < 1:
            raise ShapeError(f"A location score needs max_length ≥ 1, got {max_length}.")
        self.max_length = max_length
        self.W = nn.Parameter(torch.empty(max_length, query_dim))
        nn.init.xavier_uniform_(self.W)

    @property
    def most_keys(self) -> int | None:
        return self.max_length

    def prepare(self, keys: Keys) -> Keys:
        if keys.shape[-2] > self.max_length:
            raise ShapeError(
                f"A location score for {self.max_length} positions was given {keys.shape[-2]} keys; it has learned "
                "nothing beyond its length: build it with a larger max_length or shorten the source."
            )
        return keys

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return F.linear(query, self.W[: keys.shape[-2]])

    def at(self, query: Queries, index: Int[Tensor, "*#batch #T S"]) -> Scores:
        everywhere = F.linear(query, self.W)
        return everywhere.gather(-1, index.expand(*everywhere.shape[:-1], index.shape[-1]))

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        return {"W q": Term(self(query, keys), ("target", "source"))}


PROFILES = ("gaussian", "boxcar", "epanechnikov", "triangular")


class Kernel(Score):
    """e(q, k_i) = log K(‖q − k_i‖ / h): with a softmax, the estimator of Nadaraya and Watson (1964).

    K(0) = 1 for every profile; the constants that make K a density cancel in the softmax. Compact profiles give −∞
    outside their support and so weights of exactly zero.
    """

    name = "kernel"
    formula = "log K((q − k_i) / h)"

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        profile: str = "gaussian",
        bandwidth: float = 1.0,
        learn_bandwidth: bool = False,
    ) -> None:
        super().__init__(query_dim, key_dim)
        self.need_equal_sizes()
        if profile not in PROFILES:
            raise UnknownNameError(
                f"Unknown kernel profile '{profile}'{did_you_mean(profile, PROFILES)}; one of {', '.join(PROFILES)}."
            )
        if not bandwidth > 0:
            raise ShapeError(f"The bandwidth h of a kernel score must be positive, got {bandwidth}.")
        self.profile = profile
        self.log_bandwidth = nn.Parameter(torch.tensor(math.log(bandwidth)), requires_grad=learn_bandwidth)

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return self._log_K(self._distance(query, keys)).to(query.dtype)

    def _distance(self, query: Tensor, keys: Tensor) -> Tensor:
        # cdist has no half precision on CPU; the exact mode avoids the cancellation of ‖q‖² + ‖k‖² − 2qᵀk.
        wide = torch.promote_types(query.dtype, torch.float32)
        h = self.log_bandwidth.exp().to(wide)
        return torch.cdist(query.to(wide), keys.to(wide), compute_mode="donot_use_mm_for_euclid_dist") / h

    def _log_K(self, u: Tensor) -> Tensor:
        if self.profile == "gaussian":  # K(u) = exp(−u²/2)
            return -0.5 * u.square()
        inside = u < 1 if self.profile != "boxcar" else u <= 1
        outside = torch.full_like(u, -math.inf)
        if self.profile == "boxcar":  # K(u) = 1 for u ≤ 1
            return torch.where(inside, torch.zeros_like(u), outside)
        # The inner `where` keeps the logarithm's gradient finite outside the support.
        v = torch.where(inside, u, torch.zeros_like(u))
        K = 1 - v.square() if self.profile == "epanechnikov" else 1 - v
        return torch.where(inside, K.log(), outside)

    def terms(self, query: Tensor, keys: Tensor) -> Terms:
        u = self._distance(query, keys)
        return {
            "distance/h": Term(u, ("target", "source"), "‖q − k_i‖ / h"),
            "K": Term(self._log_K(u).exp(), ("target", "source")),
            "h": Term(self.log_bandwidth.exp(), constant=True),
        }


class Uniform(Score):
    """e(q, k_i) = 0: the plain average, the starting point of 1964 and the baseline to beat."""

    name = "uniform"
    formula = "0"

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return query.new_zeros(*query.shape[:-1], keys.shape[-2])
