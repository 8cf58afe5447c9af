"""What training tells: small events that progress bars, logs and pictures listen to."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from jumok.metric import Metric


@dataclass(frozen=True)
class Started:
    """Training begins or resumes at `step`."""

    step: int
    max_steps: int
    parameters: int
    resumed_from: Path | None = None
    seconds_left: float | None = None
    """Until the limit in time, where there is one."""


@dataclass(frozen=True)
class StepDone:
    """One step of every player.

    `metrics` holds the mean of each named loss over the step, the gradient norm and the learning rate; where there are
    several players their names come first, as in `generator.loss`. `counts` is what the batches count, such as
    `target_tokens`; `size` is how many units (tokens, images, …) the losses are averaged over.
    """

    step: int
    epoch: int
    metrics: dict[str, float]
    counts: dict[str, int]
    size: int
    unit: str

    @property
    def loss(self) -> float:
        """The first of the named losses."""
        return next(iter(self.metrics.values()))


@dataclass(frozen=True)
class Logged:
    """Means since the line of metrics before this one; holds no times."""

    step: int
    metrics: dict[str, float | int]


@dataclass(frozen=True)
class WordAlignment:
    """A validation sentence, its reference, and where the model looked for each of its words (teacher-forced)."""

    source_words: list[str]
    target_words: list[str]
    weights: np.ndarray
    gold: list[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Validation:
    """What validating gave: the task's scores by name, pictures, and sentences that a person should read."""

    metrics: dict[str, float]
    alignments: list[WordAlignment] = field(default_factory=list)
    sheet: np.ndarray | None = None
    """Pictures that the model drew, uint8 [H, W, 3]."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Validated:
    """A validation, whether it was the best so far, and the best score."""

    step: int
    validation: Validation
    best: bool
    best_metric: str
    best_score: float
    best_step: int
    metrics: tuple[Metric, ...] = ()
    """How the scores of the validation are called and printed."""


@dataclass(frozen=True)
class Saving:
    """A checkpoint of this step is about to be written: what belongs to it must be on the disk now."""

    step: int


@dataclass(frozen=True)
class Saved:
    """A checkpoint was written."""

    step: int
    path: Path


@dataclass(frozen=True)
class Stopped:
    """Training is over: `steps`, `time`, `patience` or a signal's name."""

    step: int
    reason: str
    best_metric: str
    best_score: float | None
    best_step: int


Event = Started | StepDone | Logged | Validated | Saving | Saved | Stopped
