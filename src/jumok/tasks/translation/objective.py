"""The loss that a translation run is trained with."""

from jumok.config import TrainConfig
from jumok.training import teacher_forcing
from jumok.training.sequence_objective import SequenceObjective

LATE = 0.9
"""Share of the steps, or of the minutes where they end sooner, after which coverage counts if nothing is said."""


def objective_of(settings: TrainConfig) -> SequenceObjective:
    """The loss that the settings describe."""
    return SequenceObjective(
        settings.label_smoothing,
        teacher_forcing.parse(settings.teacher_forcing),
        settings.guided_alignment,
        settings.guided_layer,
        settings.guided_heads,
        settings.reinforce,
        settings.r_drop,
        settings.entropy,
        settings.doubly_stochastic,
        settings.coverage_loss,
        settings.coverage_from or max(1, round(LATE * settings.max_steps)),
        LATE if settings.coverage_from is None else None,
    )
