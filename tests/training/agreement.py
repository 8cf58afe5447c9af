"""What it means that gradients made in two ways are the same: both are the exact gradient, rounded."""

from collections.abc import Sequence
from copy import deepcopy

import torch

from jumok.data.batch import Batch
from jumok.training.learner import Learner
from tests.rounding import Exact, exact


def exact_gradients(learner: Learner, group: Sequence[Batch], tokens: int) -> tuple[list[Exact], list[Exact]]:
    """The gradients of a step in float64, and its sums of smoothed loss and −log p; for models without dropout."""
    model = deepcopy(learner.model).double().train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def compute() -> list[torch.Tensor]:
        losses = [learner.players[0].objective(model, batch, 1, learner.coins, {}) for batch in group]
        sums = [sum(loss.sums[name] for loss in losses) for name in ("loss", "nll")]
        total = sum(loss.total for loss in losses) / tokens
        return [*torch.autograd.grad(total, parameters, allow_unused=True, materialize_grads=True), *sums]

    found = exact(compute)
    return found[:-2], found[-2:]
