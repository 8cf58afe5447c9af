"""Where a run stands, as plain values that a checkpoint holds exactly."""

from dataclasses import asdict, dataclass, field
from typing import Any

from jumok.data.bucketing import Position
from jumok.training.tally import Tally

ALONE = "model"
"""What the player of a run with one player is called."""


@dataclass
class Progress:
    """Step, place in the data, early stopping, and sums; `state` and `of` go through JSON without loss."""

    step: int = 0
    position: Position = field(default_factory=Position)
    seen: int = 0
    """Units of all batches so far."""
    unit: str = "tokens"
    """What they are: tokens, images, …"""
    sums: Tally = field(default_factory=Tally)
    """Added up since the last line of metrics."""
    best_score: float | None = None
    best_step: int = 0
    stale: int = 0
    """Validations since the best one."""
    carried: dict[str, dict[str, float]] = field(default_factory=dict)
    """By player: what its objective keeps from step to step."""
    to_validate: bool = False
    """The step's validation is due and not done."""
    finished: str = ""

    def state(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def of(cls, state: dict[str, Any]) -> "Progress":
        """The progress of saved values."""
        fields = _as_of_today(state) if "baseline" in state else dict(state)
        fields |= {"position": Position(**fields["position"]), "sums": Tally(**fields["sums"])}
        return cls(**fields)

    def judge(self, score: float, higher_is_better: bool) -> bool:
        """Takes in a validation's score; True if it is the best so far."""
        best = self.best_score
        gained = best is None or (score > best if higher_is_better else score < best)
        if gained:
            self.best_score, self.best_step, self.stale = score, self.step, 0
        else:
            self.stale += 1
        return gained


def _as_of_today(state: dict[str, Any]) -> dict[str, Any]:
    """Values that were saved when there was one model, whose losses were all averaged over target tokens."""
    fields = dict(state)
    sums = dict(fields.pop("sums"))
    steps, tokens = sums.pop("steps"), sums.pop("tokens")
    counts = {name: steps if name == "gradient_norm" else tokens for name in sums}
    fields["sums"] = {"sums": sums, "counts": counts} if steps else {"sums": {}, "counts": {}}
    fields["seen"] = fields.pop("tokens")
    fields["carried"] = {ALONE: {"baseline": fields.pop("baseline")}}
    return fields
