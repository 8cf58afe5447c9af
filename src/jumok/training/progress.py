"""Where a run stands, as plain values that a checkpoint holds exactly."""

from dataclasses import asdict, dataclass, field
from typing import Any

from jumok.data.bucketing import Position


@dataclass
class Sums:
    """Added up since the last line of metrics."""

    steps: int = 0
    tokens: int = 0
    loss: float = 0.0
    nll: float = 0.0
    guided: float = 0.0
    gradient_norm: float = 0.0

    def means(self) -> dict[str, float]:
        """Mean losses of a target token and the mean gradient norm of a step."""
        tokens, steps = max(1, self.tokens), max(1, self.steps)
        return {
            "loss": self.loss / tokens,
            "nll": self.nll / tokens,
            "gradient_norm": self.gradient_norm / steps,
        }


@dataclass
class Progress:
    """Step, place in the data, early stopping, and sums; `state` and `of` go through JSON without loss."""

    step: int = 0
    position: Position = field(default_factory=Position)
    tokens: int = 0
    sums: Sums = field(default_factory=Sums)
    best_score: float | None = None
    best_step: int = 0
    stale: int = 0
    """Validations since the best one."""
    baseline: float = 0.0
    """Moving mean of a token's log-likelihood, for hard attention's reward."""
    to_validate: bool = False
    """The step's validation is due and not done."""
    finished: str = ""

    def state(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def of(cls, state: dict[str, Any]) -> "Progress":
        """The progress of saved values."""
        fields = dict(state)
        return cls(
            **fields | {"position": Position(**fields["position"]), "sums": Sums(**fields["sums"])},
        )

    def judge(self, score: float, higher_is_better: bool) -> bool:
        """Takes in a validation's score; True if it is the best so far."""
        best = self.best_score
        gained = best is None or (score > best if higher_is_better else score < best)
        if gained:
            self.best_score, self.best_step, self.stale = score, self.step, 0
        else:
            self.stale += 1
        return gained
