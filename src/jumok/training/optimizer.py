"""Adam and AdamW with their state by parameter name, gradient clipping, and averages of weights."""

from collections.abc import Iterable, Mapping
from typing import Literal

import torch
from torch import Tensor, nn

from jumok.errors import CheckpointError

STATE = ("exp_avg", "exp_avg_sq", "step")


class Optimizer:
    """Adam(W) on torch's fused path; matrices decay, biases and norms do not."""

    def __init__(
        self,
        model: nn.Module,
        kind: Literal["adam", "adamw"],
        learning_rate: float,
        betas: tuple[float, float],
        weight_decay: float,
    ) -> None:
        self.parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}
        groups = [
            {"params": [p for p in self.parameters.values() if p.ndim > 1], "weight_decay": weight_decay},
            {"params": [p for p in self.parameters.values() if p.ndim <= 1], "weight_decay": 0.0},
        ]
        adam = torch.optim.AdamW if kind == "adamw" else torch.optim.Adam
        self.torch = adam(groups, lr=learning_rate, betas=betas, fused=True)

    def set_rate(self, learning_rate: float) -> None:
        """The learning rate of the next step."""
        for group in self.torch.param_groups:
            group["lr"] = learning_rate

    @property
    def rate(self) -> float:
        """The learning rate of the last step."""
        return self.torch.param_groups[0]["lr"]

    def forget(self) -> None:
        """Drops the gradients."""
        self.torch.zero_grad(set_to_none=True)

    def gradients(self) -> list[Tensor]:
        """The gradient of every parameter, zero where none flowed."""
        for parameter in self.parameters.values():
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        return [parameter.grad for parameter in self.parameters.values() if parameter.grad is not None]

    def clip(self, largest: float) -> Tensor:
        """The norm of the whole gradient, which is scaled down to `largest` if that is not 0."""
        self.gradients()
        parameters = self.parameters.values()
        norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
        if largest > 0:
            nn.utils.clip_grads_with_norm_(parameters, largest, norm)
        return norm

    def state(self) -> dict[str, Tensor]:
        """Every moment by parameter name: `exp_avg/encoder.weight` and so on."""
        return {
            f"{part}/{name}": self.torch.state[parameter][part]
            for name, parameter in self.parameters.items()
            for part in STATE
            if parameter in self.torch.state
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Takes up saved moments."""
        if not state:
            return
        for name, parameter in self.parameters.items():
            try:
                parts = {part: state[f"{part}/{name}"] for part in STATE}
            except KeyError as error:
                raise CheckpointError(f"The saved optimiser has no {error}; it is another model's.") from None
            self.torch.state[parameter] = {part: _laid_out(value, parameter) for part, value in parts.items()}


def _laid_out(value: Tensor, parameter: Tensor) -> Tensor:
    """A moment in memory as its parameter is: the fused step reads both in the order of memory.

    Adam counts its steps in float32 on the parameter's device; the moments are shaped as the parameter.
    """
    if value.shape != parameter.shape:
        return value.to(parameter.device)
    return torch.empty_like(parameter, dtype=value.dtype).copy_(value).detach()


class MovingAverage:
    """θ̄ ← d θ̄ + (1 − d) θ after each step, with d = min(decay, (1 + i) / (10 + i)) so that it starts quickly.

    Buffers (running statistics, vectors of spectral norms) are copied: a mean of theirs would mean nothing.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self._averaged = {name for name, _ in model.named_parameters(remove_duplicate=False)}
        self.values = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def update(self, model: nn.Module, step: int) -> None:
        """Takes in the weights after a step."""
        decay = min(self.decay, (1 + step) / (10 + step))
        for name, value in model.state_dict().items():
            if name in self._averaged:
                self.values[name].lerp_(value.detach(), 1 - decay)
            else:
                self.values[name].copy_(value)


class Anchor:
    """θ ← θ − η a (θ − θ₀) after each step: a weight decay towards the start instead of towards zero.

    The penalty a/2 ‖θ − θ₀‖² of "L2-SP" (Li et al. 2018), decoupled from Adam as in AdamW (Loshchilov and Hutter 2019).
    """

    def __init__(self, model: nn.Module, strength: float) -> None:
        self.strength = strength
        self.values = {name: value.detach().clone() for name, value in model.named_parameters()}

    @torch.no_grad()
    def pull(self, model: nn.Module, rate: float) -> None:
        """Moves the weights back after a step with that learning rate."""
        share = min(1.0, rate * self.strength)
        for name, value in model.named_parameters():
            value.lerp_(self.values[name], share)


def average(states: Iterable[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several sets of weights; whole numbers are taken from the last."""
    total: dict[str, Tensor] = {}
    kinds: dict[str, torch.dtype] = {}
    count = 0
    for state in states:
        count += 1
        for name, value in state.items():
            if value.is_floating_point():
                wide = value.to(torch.float64)
                total[name] = total[name] + wide if name in total else wide
            else:
                total[name] = value
        kinds = {name: value.dtype for name, value in state.items()}
    if not count:
        raise CheckpointError("There are no checkpoints to average.")
    return {
        name: (value / count).to(kinds[name]) if value.is_floating_point() else value for name, value in total.items()
    }
