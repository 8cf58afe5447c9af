"""How finished hypotheses of different lengths are compared.

s(Y, X) = log P(Y | X) / lp(Y) + cp(X; Y)                                (Wu et al. 2016, equation 14)
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jumok.arguments import check_finite
from jumok.errors import InputError, did_you_mean

if TYPE_CHECKING:  # the choice is made without torch; only those who compute with it bring theirs
    from torch import Tensor

LengthForm = Literal["gnmt", "power", "none"]
CoverageForm = Literal["wu", "summary"]
_COVERAGE_FORMS = ("wu", "summary")
_FORMS = ("gnmt", "power", "none")


@dataclass(frozen=True)
class Scoring:
    """The score of a hypothesis: its log-probability, normalised by length, with a coverage penalty.

    `gnmt` is lp(Y) = ((5 + |Y|) / 6)^α of Wu et al. (2016), `power` |Y|^α, `none` 1. |Y| counts EOS.
    """

    form: LengthForm = "gnmt"
    alpha: float = 0.6
    coverage: float = 0.0
    """β of the coverage penalty; 0 is off."""
    coverage_form: CoverageForm = "wu"
    """`wu` punishes what was hardly looked at, `summary` what was looked at more than once."""

    def __post_init__(self) -> None:
        if self.form not in _FORMS:
            near = did_you_mean(self.form, _FORMS)
            raise InputError(f"there is no length penalty {self.form!r}{near}; use one of {', '.join(_FORMS)}.")
        if self.coverage_form not in _COVERAGE_FORMS:
            near = did_you_mean(self.coverage_form, _COVERAGE_FORMS)
            raise InputError(f"there is no coverage penalty {self.coverage_form!r}{near}; use wu or summary.")
        # A power of more than this may be beyond what a number can hold.
        check_finite("alpha", self.alpha, -10, 10)
        check_finite("the coverage penalty", self.coverage, 0, 1e6)

    def length_penalty(self, length: "Tensor") -> "Tensor":
        """lp(Y) for lengths that count EOS."""
        length = length.double()
        if self.form == "gnmt":
            return ((5.0 + length) / 6.0) ** self.alpha
        if self.form == "power":
            return length**self.alpha
        return length.new_ones(length.shape)

    def score(self, log_prob: "Tensor", length: "Tensor", coverage: "Tensor | None" = None) -> "Tensor":
        """s(Y, X); `coverage` is cp(X; Y) or None."""
        score = log_prob / self.length_penalty(length)
        return score if coverage is None else score + coverage

    def coverage_of(self, attended_NS: "Tensor", mask_NS: "Tensor") -> "Tensor":
        """cp(X; Y) of the attention summed over steps."""
        return coverage_penalty(attended_NS, mask_NS, self.coverage, self.coverage_form)

    def bound(self, log_prob: "Tensor", length: "Tensor", longest: "Tensor") -> "Tensor":
        """No hypothesis that grows from one of `length` tokens to at most `longest` can score higher than this.

        Each further token adds a log-probability ≤ 0, so log P only falls; and log P ≤ 0, so the score is largest
        under the largest lp among the lengths still ahead. lp is monotonic in the length (rising for α ≥ 0,
        falling for α < 0), so that is at one of the two ends: the next length or the longest. The coverage
        penalty is ≤ 0 in both forms, and may be left out of an upper bound.
        """
        ahead = self.length_penalty(length + 1).maximum(self.length_penalty(longest))
        return log_prob / ahead


def coverage_penalty(attended_NS: "Tensor", mask_NS: "Tensor", beta: float, form: CoverageForm = "wu") -> "Tensor":
    """wu:       cp(X; Y) = β Σ_i log(min(Σ_t p_{t,i}, 1)): what was hardly looked at costs (Wu et al. 2016).
    summary:  cp(X; Y) = −β Σ_i (max(Σ_t p_{t,i}, 1) − 1): a summary skips much, but says nothing twice; the coverage
              loss of See et al. (2017) as a penalty.

    `attended_NS` is the attention summed over steps. A position that was never looked at would cost infinitely
    much; the sum is kept above 1e-6 so that hypotheses stay comparable.
    """
    if form == "summary":
        twice = (attended_NS.double() - 1.0).clamp(min=0.0)
        return -beta * twice.masked_fill(~mask_NS, 0.0).sum(dim=-1)
    covered = attended_NS.double().clamp(min=1e-6, max=1.0).log()
    return beta * covered.masked_fill(~mask_NS, 0.0).sum(dim=-1)
