"""The parts of a run that change while it learns, and one step of learning."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor

from jumok.config import TrainConfig
from jumok.data.batch import Batch
from jumok.errors import CheckpointError, DivergedError, NumericsError
from jumok.models.seq2seq import Seq2Seq
from jumok.training import random_state
from jumok.training.checkpoint import Checkpoint
from jumok.training.distributed import Processes
from jumok.training.hands import CannotForkError, Hands
from jumok.training.objective import BatchLoss, Objective
from jumok.training.optimizer import MovingAverage, Optimizer
from jumok.training.progress import Progress
from jumok.training.schedule import Schedule
from jumok.training.shares import Learned, Task, added_up, may_share, worth_sharing
from jumok.training.tensor_file import pack, unpack

BASELINE_DECAY = 0.9
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class StepResult:
    """Sums over the target tokens of a step, all processes together."""

    tokens: int
    source_tokens: int
    loss: float
    nll: float
    guided: float
    gradient_norm: float
    learning_rate: float


@dataclass
class Learner:
    """Model, optimiser, schedule, averages and generators: what a checkpoint is made of."""

    model: Seq2Seq
    objective: Objective
    settings: TrainConfig
    device: torch.device
    precision: str
    processes: Processes
    seed: int
    optimizer: Optimizer = field(init=False)
    schedule: Schedule = field(init=False)
    average: MovingAverage | None = field(init=False)
    scaler: torch.amp.GradScaler = field(init=False)  # type: ignore[name-defined]
    coins: torch.Generator = field(init=False)
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        s = self.settings
        self.optimizer = Optimizer(self.model, s.optimizer, s.learning_rate, s.betas, s.weight_decay)
        self.schedule = Schedule(
            s.schedule, s.learning_rate, s.warmup, s.max_steps, s.plateau_factor, s.plateau_patience
        )
        self.average = MovingAverage(self.model, s.ema) if s.ema > 0 else None
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.precision == "float16")  # type: ignore[attr-defined]
        self.coins = torch.Generator().manual_seed(self.seed * 7919 + self.processes.rank)
        alone = self.device.type != "cpu" or self.precision != "float32" or torch.get_num_threads() == 1
        self._shared = not alone and may_share(self.model)
        self._hands: Hands | None = None

    @property
    def generators(self) -> dict[str, torch.Generator]:
        """Our own generators by name."""
        return {"coins": self.coins}

    def step(self, group: Sequence[Batch], tokens: int, source_tokens: int, time_share: float) -> StepResult:
        """One step over the batches of a group; `tokens` counts the targets of all processes.

        The loss is divided by all target tokens of the step, so that adding up batches or splitting them
        among processes gives the gradient of the one large batch.
        """
        sums = self._backward(group, tokens)
        self.processes.add_gradients(self.optimizer.gradients())
        self.scaler.unscale_(self.optimizer.torch)
        norm = float(self.optimizer.clip(self.settings.clip))
        loss, nll, guided = self.processes.add_up(sums, self.device)
        if not math.isfinite(norm) and not self.scaler.is_enabled():
            raise DivergedError(f"The gradient became {norm} at step {self.progress.step + 1}{_named(group)}.")
        rate = self.schedule.rate(self.progress.step + 1, time_share)
        return StepResult(tokens, source_tokens, loss, nll, guided, norm, rate)

    def _backward(self, group: Sequence[Batch], tokens: int) -> list[float]:
        """Adds this process's gradients; gives its sums of smoothed loss, −log p and guided loss."""
        sums = [0.0, 0.0, 0.0]
        low = PRECISIONS[self.precision]
        self.model.train()
        hands = self._helpers()
        for batch in group:
            if len(batch) == 0:
                continue
            batch = batch.to(self.device)
            if self.objective.guided_weight == 0:
                batch = replace(batch, alignment=None)
            task = Task(batch, tokens, self.progress.step + 1, self.progress.baseline)
            if hands is not None and worth_sharing(batch, hands.count):
                sums = [a + b for a, b in zip(sums, self._backward_together(task, hands), strict=True)]
                continue
            with torch.autocast(self.device.type, dtype=low, enabled=low != torch.float32):
                loss = self._loss(task)
            self.scaler.scale(loss.total / tokens).backward()
            for place, part in enumerate((loss.smoothed, loss.nll, loss.guided)):
                sums[place] += float(part)
        return sums

    def _helpers(self) -> Hands | None:
        """Those who share a batch, from the first step on; None where a batch is not shared."""
        if self._shared and self._hands is None:
            try:
                self._hands = Hands(self._learn, torch.get_num_threads(), list(self.optimizer.parameters.values()))
            except CannotForkError:
                self._shared = False
        return self._hands if self._shared else None

    def _learn(self, task: Task) -> Learned:
        """One hand's gradients and sums, with random numbers of its own."""
        assert task.seed is not None
        torch.manual_seed(task.seed)
        self.coins.manual_seed(task.seed)
        loss = self._loss(task)
        parameters = list(self.optimizer.parameters.values())
        gradients = torch.autograd.grad(loss.total / task.tokens, parameters, allow_unused=True)
        return Learned(gradients, [float(part) for part in (loss.smoothed, loss.nll, loss.guided)])

    def _backward_together(self, task: Task, hands: Hands) -> list[float]:
        """The sums of one batch whose sentences are shared among the hands; adds their gradients."""
        done = hands.learn(replace(task, seed=int(torch.randint(1 << 62, ()))))
        parameters = self.optimizer.parameters.values()
        for parameter, *parts in zip(parameters, *(learned.gradients for learned in done), strict=True):
            total = added_up(parts)
            if total is not None:
                parameter.grad = total if parameter.grad is None else parameter.grad + total
        return [sum(column) for column in zip(*(learned.sums for learned in done), strict=True)]

    def _loss(self, task: Task) -> BatchLoss:
        """The losses of a batch; what is not finite stops the run with the batch's name."""
        where = f"at step {task.step}{_named([task.batch])}"
        try:
            loss = self.objective(self.model, task.batch, task.step, self.coins, task.baseline)
        except NumericsError as error:
            raise DivergedError(f"The loss became nan {where}.") from error
        value = float(loss.total.detach())
        if not math.isfinite(value):
            raise DivergedError(f"The loss became {value} {where}.")
        return loss

    def apply(self, result: StepResult) -> None:
        """Moves the weights and everything that follows them; must not be interrupted."""
        self.optimizer.set_rate(result.learning_rate)
        self.scaler.step(self.optimizer.torch)
        self.scaler.update()
        self.optimizer.forget()
        progress = self.progress
        progress.step += 1
        progress.tokens += result.tokens
        if self.average is not None:
            self.average.update(self.model, progress.step)
        mean = -result.nll / max(1, result.tokens)
        share = 1.0 if progress.step == 1 else 1 - BASELINE_DECAY
        progress.baseline += share * (mean - progress.baseline)
        sums = progress.sums
        sums.steps += 1
        sums.tokens += result.tokens
        sums.loss += result.loss
        sums.nll += result.nll
        sums.guided += result.guided
        if math.isfinite(result.gradient_norm):  # in float16 a step that overflowed was left out
            sums.gradient_norm += result.gradient_norm

    def weights(self) -> dict[str, Tensor]:
        """The weights to use: their moving average if there is one."""
        return self.model.state_dict() if self.average is None else self.average.values

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The model with its averaged weights, as long as it lasts."""
        if self.average is None:
            yield
            return
        own = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.average.values)
        try:
            yield
        finally:
            self.model.load_state_dict(own)

    def checkpoint(self, scheduled: bool, random: dict[str, Tensor] | None = None) -> Checkpoint:
        """All of it. Every process must call this; `random` stands for the present random state if given."""
        mine = pack(random if random is not None else random_state.capture(self.generators))
        tensors = {"model": dict(self.model.state_dict()), "optimizer": self.optimizer.state()}
        if self.average is not None:
            tensors["ema"] = dict(self.average.values)
        for rank, content in enumerate(self.processes.gather_bytes(mine, self.device)):
            tensors[_random_name(rank)] = unpack(content, _NOWHERE)
        state = {
            "progress": self.progress.state(),
            "schedule": self.schedule.state(),
            "scaler": self.scaler.state_dict(),
            "scheduled": scheduled,
        }
        return Checkpoint(self.progress.step, tensors, state)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Takes up a checkpoint: afterwards nothing tells that the run was ever away."""
        try:
            self.model.load_state_dict(checkpoint.tensors["model"])
        except RuntimeError as error:
            text = " ".join(str(error).split())
            raise CheckpointError(f"The checkpoint of step {checkpoint.step} is another model's: {text}") from None
        self.optimizer.restore(checkpoint.tensors["optimizer"])
        if self.average is not None:
            # A run that is given an average only now begins it where its weights are.
            known = checkpoint.tensors.get("ema", checkpoint.tensors["model"])
            for name, value in self.average.values.items():
                value.copy_(known[name])
        self.schedule.restore(checkpoint.state["schedule"])
        if checkpoint.state["scaler"]:
            self.scaler.load_state_dict(checkpoint.state["scaler"])
        self.progress = Progress.of(checkpoint.state["progress"])
        name = _random_name(self.processes.rank)
        if name in checkpoint.tensors:
            random_state.restore(checkpoint.tensors[name], self.generators)


_NOWHERE = Path("random state")


def _random_name(rank: int) -> str:
    return "random" if rank == 0 else f"random-{rank}"


def _named(group: Sequence[Batch]) -> str:
    """` (batch of sentences 3, 17, …)`: which sentences were being learned."""
    numbers = sorted(int(number) for batch in group for number in batch.index_B)
    shown = ", ".join(map(str, numbers[:12]))
    return f" (batch of sentences {shown}{f' and {len(numbers) - 12} more' if len(numbers) > 12 else ''})"
