"""Normalisers: turn scores into a distribution.

    weights_BTS = normalise(scores_BTS)

Scores outside the mask arrive as −∞ and their weights are set to exactly zero afterwards; a row with nothing to attend
arrives as zeros and leaves as zeros (see `attention.py`). So a normaliser is a plain function of a row of scores.
"""

import math
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from jumok.attention.terms import Term, Terms
from jumok.errors import ShapeError, UnknownNameError, did_you_mean

Scores = Float[Tensor, "*batch T S"]
Weights = Float[Tensor, "*batch T S"]
Counts = Int[Tensor, "*#batch #T 1"]

_entmax: Any = import_module("entmax")  # it has no type stubs


class Normalised(NamedTuple):
    """Weights; for hard draws the log-probability of the position, and the entropy of what it was drawn from."""

    weights: Float[Tensor, "*batch T S"]
    log_prob: Float[Tensor, "*batch T"] | None
    entropy: Float[Tensor, "*batch T"] | None = None


class Normaliser(nn.Module, ABC):
    """A map from a row of scores to a row of weights; subclasses give `name`, `formula` and `forward`."""

    name: ClassVar[str]
    formula: ClassVar[str] = ""

    @abstractmethod
    def forward(self, scores: Scores) -> Weights:
        """Weights of each row."""

    def normalise(self, scores: Scores, allowed: Counts | None = None) -> Normalised:
        """Weights and the log-probability of what was drawn, where there was a draw.

        `allowed` is how many positions of each row the mask leaves open (all of them when it is None), whatever the
        scores themselves close.
        """
        return Normalised(self(scores), None)

    def terms(self, scores: Scores) -> Terms:
        """Named intermediates for scores that are −∞ where nothing may be attended, for explanations and pictures."""
        return {}


class Softmax(Normaliser):
    """α_i = exp(e_i / τ) / Σ_j exp(e_j / τ): soft attention.

    (A text that writes α_i = e_i / Σ_j e_j and calls it softmax has lost the exponential.)
    """

    name = "softmax"
    formula = "exp(e_i/τ) / Σ_j exp(e_j/τ)"
    plain_formula: ClassVar[str] = "exp(e_i) / Σ_j exp(e_j)"
    """The formula where the temperature τ is 1."""

    def __init__(self, temperature: float = 1.0) -> None:
        super().__init__()
        if not temperature > 0:
            raise ShapeError(f"The temperature of a softmax must be positive, got {temperature}.")
        self.temperature = temperature

    def forward(self, scores: Scores) -> Weights:
        return (scores / self.temperature if self.temperature != 1.0 else scores).softmax(-1)

    def terms(self, scores: Scores) -> Terms:
        # Subtracting the largest score changes no weight and keeps the exponential from overflowing.
        peak = scores.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        exponentials = ((scores - peak) / self.temperature).exp()
        inner = "e_{} − max e" if self.temperature == 1.0 else "(e_{} − max e)/τ"
        return {
            "exp": Term(exponentials, ("target", "source"), f"exp({inner.format('i')})"),
            "sum": Term(exponentials.sum(-1), ("target",), f"Σ exp({inner.format('j')})"),
        }


class Sparsemax(Normaliser):
    """The Euclidean projection onto the simplex: exact zeros (Martins and Astudillo 2016)."""

    name = "sparsemax"
    formula = "argmin_p ‖p − e‖², p_i ≥ 0, Σ p_i = 1"

    def forward(self, scores: Scores) -> Weights:
        return _widened(_entmax.sparsemax, scores)

    def terms(self, scores: Scores) -> Terms:
        # p_i = e_i − τ where p_i > 0, so the threshold can be read off the largest.
        return {"threshold": Term(scores.amax(-1) - self(scores).amax(-1), ("target",), "τ")}


class Entmax15(Normaliser):
    """α-entmax with α = 1.5, half-way between softmax and sparsemax (Peters et al. 2019)."""

    name = "entmax15"
    formula = "[0.5 e_i − τ]₊²"

    def forward(self, scores: Scores) -> Weights:
        return _widened(_entmax.entmax15, scores)

    def terms(self, scores: Scores) -> Terms:
        threshold = 0.5 * scores.amax(-1) - self(scores).amax(-1).sqrt()
        return {"threshold": Term(threshold, ("target",), "τ")}


class Entmax(Normaliser):
    """α-entmax with a given or learned α (Correia et al. 2019): 1 is softmax, 2 is sparsemax.

    Its α is γ in the formula, where α_i are the weights.
    """

    name = "entmax"
    formula = "[(γ−1) e_i − τ]₊^(1/(γ−1))"

    def __init__(self, alpha: float = 1.5, learn_alpha: bool = True) -> None:
        super().__init__()
        low, high = (1.0, 2.0) if learn_alpha else (1.0, math.inf)
        if not (low < alpha < high or (not learn_alpha and alpha == 1.0)):
            raise ShapeError(f"alpha of entmax must lie in ({low:g}, {high:g}), got {alpha}.")
        self.learn_alpha = learn_alpha
        # α = 1 + sigmoid(a) stays between softmax and sparsemax while it is learned.
        a = math.log((alpha - 1) / (2 - alpha)) if learn_alpha else alpha
        self.a = nn.Parameter(torch.tensor(float(a)), requires_grad=learn_alpha)

    @property
    def alpha(self) -> Tensor:
        """The α in use."""
        return 1 + self.a.sigmoid() if self.learn_alpha else self.a

    def forward(self, scores: Scores) -> Weights:
        if not self.learn_alpha and abs(float(self.a) - 1) < 1e-6:
            return scores.softmax(-1)  # the limit, where the formula divides by α − 1 = 0
        wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
        alpha = self.alpha.to(wide.dtype).expand(*wide.shape[:-1], 1)
        return _entmax.entmax_bisect(wide, alpha, dim=-1, n_iter=60).to(scores.dtype)

    def terms(self, scores: Scores) -> Terms:
        less_one = self.alpha.to(scores.dtype) - 1
        peak = self(scores).amax(-1)
        threshold = less_one * scores.amax(-1) - peak.pow(less_one)
        return {
            "alpha": Term(self.alpha, (), "γ", constant=True),
            "threshold": Term(threshold, ("target",), "τ"),
        }


class Unnormalised(Normaliser):
    """α_i = exp(e_i) / n: the 1964 estimate before anyone divided by the sum of the weights."""

    name = "unnormalised"
    formula = "exp(e_i) / n"

    def forward(self, scores: Scores) -> Weights:
        return scores.exp() / scores.shape[-1]

    def normalise(self, scores: Scores, allowed: Counts | None = None) -> Normalised:
        # n counts the data, also those that a compact kernel gives a weight of zero.
        n = scores.shape[-1] if allowed is None else allowed.clamp_min(1)
        return Normalised(scores.exp() / n, None)

    def terms(self, scores: Scores) -> Terms:
        return {"exp": Term(scores.exp(), ("target", "source"), "exp(e_i)")}


ESTIMATORS = ("reinforce", "gumbel")
DECODINGS = ("best", "expected")


class Hard(Normaliser):
    """One position: drawn while training, the best one when decoding (Xu et al. 2015).

    `reinforce` returns the draw's log-probability; with the reward R of a draw and a baseline b the loss adds
    −(R − b) · log p(draw), whose gradient is that of the expected reward (Williams 1992). `gumbel` draws the same way
    and passes the gradient straight through the softmax of the perturbed scores (Jang et al. 2017), whose `temperature`
    changes nothing under `reinforce`.

    `expected`, of `reinforce` alone, is the share of draws that are replaced by their expectation, the softmax itself,
    while training: Xu et al. (section 4.1) take ½ for a picture; here the coin is tossed for each draw. A draw that was
    replaced is not rewarded. A draw is a constant for a loss that reads the weights (the doubly stochastic regulariser,
    coverage, guided alignment); only replaced draws pass its gradient on.

    `decode` says what takes the place of a draw after training: `best`, the most probable position alone, or
    `expected`, the softmax that would be drawn from. The latter is what the program that Xu et al. published does
    unless it is told to draw.
    """

    name = "hard"
    formula = "one-hot(i ~ softmax(e))"

    def __init__(
        self, estimator: str = "reinforce", temperature: float = 1.0, expected: float = 0.0, decode: str = "best"
    ) -> None:
        super().__init__()
        for name, given, known in (("estimator", estimator, ESTIMATORS), ("decode", decode, DECODINGS)):
            if given not in known:
                raise UnknownNameError(
                    f"Unknown {name} '{given}'{did_you_mean(given, known)}; one of {', '.join(known)}."
                )
        if not temperature > 0:
            raise ShapeError(f"The temperature of a hard align must be positive, got {temperature}.")
        if not 0 <= expected < 1:
            raise ShapeError(f"The share of expected draws must be at least 0 and below 1, got {expected}.")
        self.estimator = estimator
        self.temperature = temperature
        self.expected = expected
        self.decode = decode

    def forward(self, scores: Scores) -> Weights:
        return self.normalise(scores).weights

    def normalise(self, scores: Scores, allowed: Counts | None = None) -> Normalised:
        log_p = scores.log_softmax(-1)
        if not self.training:
            return (
                Normalised(log_p.exp(), None) if self.decode == "expected" else _one_position(log_p, scores.argmax(-1))
            )
        # Gumbel-max: argmax(e + g) is a draw from softmax(e). Float32 keeps the noise fine-grained in half precision.
        uniform = torch.rand(scores.shape, device=scores.device).clamp_(1e-20, 1 - 1e-7)
        perturbed = scores - (-uniform.log()).log().to(scores.dtype)
        drawn = _one_position(log_p, perturbed.argmax(-1))
        if self.estimator == "reinforce":
            return self._mixed(log_p, drawn)
        soft = (perturbed / self.temperature).softmax(-1)
        return Normalised(drawn.weights + soft - soft.detach(), drawn.log_prob)

    def _mixed(self, log_p: Tensor, drawn: Normalised) -> Normalised:
        """The draws, some of them replaced by what they are drawn from, with the entropy H = −Σ p log p."""
        p = log_p.exp()
        entropy = -(p * log_p.masked_fill(p == 0, 0.0)).sum(-1)
        if not self.expected or drawn.log_prob is None:
            return Normalised(drawn.weights, drawn.log_prob, entropy)
        kept = torch.rand(log_p.shape[:-1], device=log_p.device) >= self.expected
        return Normalised(torch.where(kept[..., None], drawn.weights, p), drawn.log_prob * kept, entropy)

    def terms(self, scores: Scores) -> Terms:
        return {"p": Term(scores.softmax(-1), ("target", "source"))}


def _one_position(log_p: Tensor, index: Tensor) -> Normalised:
    weights = torch.zeros_like(log_p).scatter_(-1, index.unsqueeze(-1), 1.0)
    return Normalised(weights.detach(), log_p.gather(-1, index.unsqueeze(-1)).squeeze(-1))


def _widened(function: Any, scores: Tensor) -> Tensor:
    """Sorting and cumulative sums in float32 at least."""
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    return function(wide, dim=-1).to(scores.dtype)
