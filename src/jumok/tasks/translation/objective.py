"""The loss that a translation run is trained with."""

from jumok.config import TrainConfig
from jumok.training import teacher_forcing
from jumok.training.sequence_objective import SequenceObjective


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
        settings.coverage_from or max(1, round(0.9 * settings.max_steps)),
    )
