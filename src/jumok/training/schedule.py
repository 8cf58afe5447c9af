"""The course of the learning rate: linear warm-up, then one of five shapes."""

import math
from dataclasses import dataclass, field
from typing import Literal

Shape = Literal["constant", "inverse_sqrt", "cosine", "linear", "plateau"]


@dataclass
class Schedule:
    """η(step) for steps counted from 1.

        warm-up        η · i / w                              for i ≤ w
        constant       η
        inverse_sqrt   η · √(w / i)                           (Vaswani et al. 2017)
        cosine         η · (1 + cos π p) / 2                  (Loshchilov and Hutter 2017)
        linear         η · (1 − p)
        plateau        η · factor^n                           n: how often validation stopped gaining

    p is the share of the steps after warm-up that is done.
    """

    shape: Shape
    peak: float
    warmup: int
    total: int
    factor: float = 0.5
    patience: int = 2
    reductions: int = field(default=0)
    stale: int = field(default=0)

    def rate(self, step: int, progress: float | None = None) -> float:
        """The learning rate of this step; `progress` tells how much of a run limited by time is over."""
        if step <= self.warmup:
            return self.peak * step / self.warmup
        match self.shape:
            case "constant":
                return self.peak
            case "inverse_sqrt":
                return self.peak * math.sqrt(max(1, self.warmup) / step)
            case "plateau":
                return self.peak * self.factor**self.reductions
        done = (step - self.warmup) / max(1, self.total - self.warmup)
        done = min(1.0, max(done, progress or 0.0))
        return self.peak * (0.5 * (1 + math.cos(math.pi * done)) if self.shape == "cosine" else 1 - done)

    def observe(self, gained: bool) -> None:
        """Tells the schedule whether a validation was better than all before it."""
        self.stale = 0 if gained else self.stale + 1
        if self.shape == "plateau" and self.stale >= self.patience:
            self.reductions, self.stale = self.reductions + 1, 0

    def state(self) -> dict[str, int]:
        """What a checkpoint must hold."""
        return {"reductions": self.reductions, "stale": self.stale}

    def restore(self, state: dict[str, int]) -> None:
        """Takes up a saved state."""
        self.reductions, self.stale = state["reductions"], state["stale"]
