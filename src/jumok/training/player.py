"""A player: a network that learns, with all that moves it. Translation has one, a GAN has two."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from jumok.config import TrainConfig
from jumok.errors import CheckpointError
from jumok.training.objective import Objective
from jumok.training.optimizer import Anchor, MovingAverage, Optimizer
from jumok.training.schedule import Schedule

Tensors = dict[str, dict[str, Tensor]]


@dataclass
class Player:
    """Module, objective, optimiser, schedule, and where asked a moving average of the weights."""

    name: str
    module: nn.Module
    objective: Objective
    optimizer: Optimizer
    schedule: Schedule
    clip: float
    """The largest norm of its gradient; 0 is off."""
    average: MovingAverage | None = None
    anchor: Anchor | None = None
    scaler: torch.amp.GradScaler = field(init=False)  # type: ignore[name-defined]
    """For float16; the learner makes it, who knows the device."""

    @classmethod
    def of(cls, name: str, module: nn.Module, objective: Objective, s: TrainConfig) -> "Player":
        """The player that the settings describe."""
        return cls(
            name,
            module,
            objective,
            Optimizer(module, s.optimizer, s.learning_rate, s.betas, s.weight_decay),
            Schedule(s.schedule, s.learning_rate, s.warmup, s.max_steps, s.plateau_factor, s.plateau_patience),
            s.clip,
            MovingAverage(module, s.ema) if s.ema > 0 else None,
            Anchor(module, s.anchor) if s.anchor > 0 else None,
        )

    @property
    def parameters(self) -> list[nn.Parameter]:
        """What its optimiser moves."""
        return list(self.optimizer.parameters.values())

    @property
    def weights(self) -> dict[str, Tensor]:
        """The weights to use: their moving average if there is one."""
        return self.module.state_dict() if self.average is None else self.average.values

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The module with its averaged weights, as long as it lasts."""
        if self.average is None:
            yield
            return
        own = {name: value.clone() for name, value in self.module.state_dict().items()}
        self.module.load_state_dict(self.average.values)
        try:
            yield
        finally:
            self.module.load_state_dict(own)

    def tensors(self) -> Tensors:
        """What a checkpoint holds of it as tensors, a file for each key."""
        found = {"model": dict(self.module.state_dict()), "optimizer": self.optimizer.state()}
        if self.anchor is not None:
            found["anchor"] = dict(self.anchor.values)
        return found if self.average is None else found | {"ema": dict(self.average.values)}

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds of it as plain values."""
        return {"schedule": self.schedule.state(), "scaler": self.scaler.state_dict()}

    def restore(self, tensors: Mapping[str, dict[str, Tensor]], state: Mapping[str, Any], step: int) -> None:
        """Takes up what `tensors` and `state` gave at the step."""
        try:
            self.module.load_state_dict(tensors["model"])
        except RuntimeError as error:
            text = " ".join(str(error).split())
            raise CheckpointError(f"The checkpoint of step {step} is another model's: {text}") from None
        self.optimizer.restore(tensors["optimizer"])
        if self.average is not None:
            # A run that is given an average only now begins it where its weights are.
            known = tensors.get("ema", tensors["model"])
            for name, value in self.average.values.items():
                value.copy_(known[name])
        if self.anchor is not None:
            # A run that is given an anchor only now is held where its weights are.
            known = tensors.get("anchor", tensors["model"])
            for name, value in self.anchor.values.items():
                value.copy_(known[name])
        self.schedule.restore(state["schedule"])
        if state["scaler"]:
            self.scaler.load_state_dict(state["scaler"])


@contextmanager
def only_moving(player: Player, players: Iterable[Player]) -> Iterator[None]:
    """Lets no gradient flow into the parameters of the other players, as long as it lasts."""
    resting = [parameter for other in players if other is not player for parameter in other.parameters]
    for parameter in resting:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in resting:
            parameter.requires_grad_(True)
