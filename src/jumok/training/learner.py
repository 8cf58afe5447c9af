"""The parts of a run that change while it learns, and one step of learning."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from jumok.config import TrainConfig
from jumok.errors import DivergedError, NumericsError
from jumok.training import random_state
from jumok.training.batch import Batch
from jumok.training.buffers import buffer_names, copy_buffers, put_back
from jumok.training.checkpoint import Checkpoint
from jumok.training.distributed import Processes
from jumok.training.objective import TIME_SHARE, BatchLoss, Objective
from jumok.training.player import Player, only_moving
from jumok.training.progress import ALONE, Progress
from jumok.training.shares import WorkItem, WorkResult, added_up, may_share
from jumok.training.tally import Tally
from jumok.training.tensor_file import pack, unpack
from jumok.training.workers import CannotForkError, Workers

GRADIENT_NORM = "gradient_norm"
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class TurnResult:
    """What one turn of a player found, all processes together, before its weights are moved."""

    player: Player
    tally: Tally
    gradient_norm: float
    learning_rate: float
    last: bool
    """Whether the step ends with it."""


@dataclass
class Learner:
    """Players, generators and progress: what a checkpoint is made of.

    In each step the players move in the order of `turns`, every turn with batches of its own; without it each moves
    once, in their own order.
    """

    players: Sequence[Player]
    settings: TrainConfig
    device: torch.device
    precision: str
    processes: Processes
    seed: int
    turns: Sequence[str] = ()
    coins: torch.Generator = field(init=False)
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self.turns = tuple(self.turns) or tuple(player.name for player in self.players)
        self._by_name = {player.name: player for player in self.players}
        # The network, or those of all players by name.
        networks = {player.name: player.module for player in self.players}
        self.model: nn.Module = self.players[0].module if self.alone else nn.ModuleDict(networks)
        for player in self.players:
            player.scaler = torch.amp.GradScaler(self.device.type, enabled=self.precision == "float16")  # type: ignore[attr-defined]
        self.coins = torch.Generator().manual_seed(self.seed * 7919 + self.processes.rank)
        self._buffers = buffer_names(self.model)
        whole = self.device.type != "cpu" or self.precision != "float32" or torch.get_num_threads() == 1
        self._shared = not whole and may_share(self.model)
        self._workers: Workers | None = None

    @classmethod
    def of_model(
        cls,
        model: nn.Module,
        objective: Objective,
        settings: TrainConfig,
        device: torch.device,
        precision: str,
        processes: Processes,
        seed: int,
    ) -> "Learner":
        """The learner of one model, moved as the settings say."""
        player = Player.of(ALONE, model, objective, settings)
        return cls([player], settings, device, precision, processes, seed)

    @property
    def alone(self) -> bool:
        """Whether there is one player; names of files and losses then go without that of the player."""
        return len(self.players) == 1

    @property
    def generators(self) -> dict[str, torch.Generator]:
        """Our own generators by name."""
        return {"coins": self.coins}

    def prefix(self, player: Player) -> str:
        """What stands before the names of a player's files and losses."""
        return "" if self.alone else f"{player.name}."

    def step(self, group: Sequence[Batch], size: int, time_share: float, turn: int = 0) -> TurnResult:
        """The gradient of one turn over the batches of a group; `size` counts the units of all processes.

        The loss is divided by all units of the group, so that adding up batches or splitting them among processes gives
        the gradient of the one large batch.
        """
        player = self._by_name[self.turns[turn]]
        tally = Tally.of_names(player.objective.losses)
        self.model.train()
        with only_moving(player, self.players):
            for batch in group:
                if len(batch):
                    tally.add(*self._backward(player, batch, size, time_share))
        self.processes.add_gradients(player.optimizer.gradients())
        player.scaler.unscale_(player.optimizer.torch)
        norm = float(player.optimizer.clip(player.clip))
        tally = tally.with_values(self.processes.add_up(tally.values(), self.device))
        step = self.progress.step + 1
        if not math.isfinite(norm) and not player.scaler.is_enabled():
            raise DivergedError(f"The gradient became {norm} at step {step}{_named(group)}.")
        rate = player.schedule.rate(step, time_share)
        return TurnResult(player, tally, norm, rate, turn == len(self.turns) - 1)

    def _backward(
        self, player: Player, batch: Batch, size: int, time_share: float
    ) -> tuple[dict[str, float], dict[str, int]]:
        """Adds the gradients of a batch, one of those with `size` units in all; gives its named sums and counts."""
        batch = player.objective.needed(batch.to(self.device))
        carried = self.progress.carried.get(player.name, {}) | {TIME_SHARE: time_share}
        item = WorkItem(batch, size, player.name, self.progress.step + 1, carried)
        workers = self._helpers()
        if workers is not None and batch.most_shares >= workers.count:
            sums, shares = self._backward_together(item, workers), workers.count
        else:
            low = PRECISIONS[self.precision]
            with torch.autocast(self.device.type, dtype=low, enabled=low != torch.float32):
                loss = self._loss(item)
            player.scaler.scale(loss.total / size).backward()
            sums, shares = _floats(loss.sums), 1
        averages = player.objective.losses
        return sums, {name: batch.size if averages[name] == "unit" else shares for name in sums}

    def _helpers(self) -> Workers | None:
        """Those who share a batch, from the first step on; None where a batch is not shared."""
        if self._shared and self._workers is None:
            try:
                self._workers = Workers(self._learn, torch.get_num_threads(), self._parameters())
            except CannotForkError:
                self._shared = False
        return self._workers if self._shared else None

    def _parameters(self) -> list[nn.Parameter]:
        """The parameters of all players."""
        return [parameter for player in self.players for parameter in player.parameters]

    def _learn(self, item: WorkItem) -> WorkResult:
        """One worker's gradients and sums, with random numbers of its own."""
        assert item.seed is not None
        torch.manual_seed(item.seed)
        self.coins.manual_seed(item.seed)
        loss = self._loss(item)
        found: list[Tensor | None] = []
        for player in self.players:
            mine = player.name == item.player
            found += _gradients(loss.total / item.size, player.parameters) if mine else [None] * len(player.parameters)
        return WorkResult(tuple(found), _floats(loss.sums))

    def _backward_together(self, item: WorkItem, workers: Workers) -> dict[str, float]:
        """The sums of one batch whose examples are shared among the workers; adds their gradients."""
        done = workers.learn(replace(item, seed=int(torch.randint(1 << 62, ()))))
        for parameter, *parts in zip(self._parameters(), *(result.gradients for result in done), strict=True):
            total = added_up(parts)
            if total is not None:
                parameter.grad = total if parameter.grad is None else parameter.grad + total
        return {name: sum(result.sums[name] for result in done) for name in done[0].sums}

    def _loss(self, item: WorkItem) -> BatchLoss:
        """The losses of a batch; what is not finite stops the run with the batch's name."""
        objective = self._by_name[item.player].objective
        try:
            loss = objective(self.model, item.batch, item.step, self.coins, item.carried)
        except NumericsError as error:
            raise _diverged("nan", item) from error
        value = float(loss.total.detach())
        if not math.isfinite(value):
            raise _diverged(str(value), item)
        return loss

    @contextmanager
    def undone_by(self, *errors: type[BaseException]) -> Iterator[None]:
        """Work that leaves nothing behind when one of the errors ends it: no gradient, buffer or random number."""
        random, buffers = random_state.capture(self.generators), copy_buffers(self.model, self._buffers)
        try:
            yield
        except errors:
            self.forget()
            put_back(self.model, buffers)
            random_state.restore(random, self.generators)
            raise

    def forget(self) -> None:
        """Drops all gradients."""
        for player in self.players:
            player.optimizer.forget()

    def apply(self, result: TurnResult) -> Tally:
        """Moves the player and everything that follows it; gives the turn's named sums. Must not be interrupted."""
        player, progress = result.player, self.progress
        player.optimizer.set_rate(result.learning_rate)
        player.scaler.step(player.optimizer.torch)
        player.scaler.update()
        player.optimizer.forget()
        if player.anchor is not None:
            player.anchor.pull(player.module, result.learning_rate)
        self.processes.send_from_writer([self.model.get_buffer(name) for name in self._buffers])
        step = progress.step + 1
        if player.average is not None:
            player.average.update(player.module, step)
        carried = progress.carried.get(player.name, {})
        progress.carried[player.name] = player.objective.carry(carried, result.tally.means(), step)
        if result.last:
            progress.step += 1
        turn = result.tally.copy()
        turn.add({GRADIENT_NORM: result.gradient_norm}, {GRADIENT_NORM: 1})
        turn = turn.prefixed(self.prefix(player))
        # In float16 a step that overflowed was left out.
        finite = {name: value if math.isfinite(value) else 0.0 for name, value in turn.sums.items()}
        progress.sums.add(finite, turn.counts)
        return turn

    @property
    def sum_names(self) -> list[str]:
        """The names of the sums that a step gives, in the order in which they are reported."""
        return [
            self.prefix(player) + name for player in self.players for name in (*player.objective.losses, GRADIENT_NORM)
        ]

    def rates(self) -> dict[str, float]:
        """The learning rate of each player's last step."""
        return {f"{self.prefix(player)}learning_rate": player.optimizer.rate for player in self.players}

    def settings_at(self, step: int) -> dict[str, float]:
        """What of the players' objectives changes from step to step."""
        return {
            self.prefix(player) + name: value
            for player in self.players
            for name, value in player.objective.settings_at(step).items()
        }

    def weights(self) -> dict[str, Tensor]:
        """The weights to use: their moving averages where there are such."""
        return {self.prefix(player) + name: value for player in self.players for name, value in player.weights.items()}

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The players with their averaged weights, as long as it lasts."""
        with ExitStack() as stack:
            for player in self.players:
                stack.enter_context(player.averaged())
            yield

    def checkpoint(self, scheduled: bool, random: dict[str, Tensor] | None = None) -> Checkpoint:
        """All of it. Every process must call this; `random` stands for the present random state if given."""
        mine = pack(random if random is not None else random_state.capture(self.generators))
        tensors: dict[str, dict[str, Tensor]] = {}
        state = {"progress": self.progress.state(), "scheduled": scheduled}
        for player in self.players:
            before = self.prefix(player)
            tensors |= {before + name: value for name, value in player.tensors().items()}
            state |= {before + name: value for name, value in player.state().items()}
        for rank, content in enumerate(self.processes.gather_bytes(mine, self.device)):
            tensors[_random_name(rank)] = unpack(content, _NOWHERE)
        return Checkpoint(self.progress.step, tensors, state)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Takes up a checkpoint: afterwards nothing tells that the run was ever away."""
        for player in self.players:
            tensors, state = (_of(part, self.prefix(player)) for part in (checkpoint.tensors, checkpoint.state))
            player.restore(tensors, state, checkpoint.step)
        self.progress = Progress.of(checkpoint.state["progress"])
        name = _random_name(self.processes.rank)
        if name in checkpoint.tensors:
            random_state.restore(checkpoint.tensors[name], self.generators)


_NOWHERE = Path("random state")


def _random_name(rank: int) -> str:
    return "random" if rank == 0 else f"random-{rank}"


def _of(named: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """What stands under names with the prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in named.items() if name.startswith(prefix)}


def _floats(sums: Mapping[str, Tensor]) -> dict[str, float]:
    return {name: float(value) for name, value in sums.items()}


def _gradients(loss: Tensor, parameters: list[nn.Parameter]) -> Sequence[Tensor | None]:
    return torch.autograd.grad(loss, parameters, allow_unused=True)


def _diverged(value: str, item: WorkItem) -> DivergedError:
    return DivergedError(f"The loss became {value} at step {item.step}{_named([item.batch])}.")


def _named(group: Sequence[Batch]) -> str:
    """` (batch of sentences 3, 17, …)`: which examples were being learned."""
    numbers = sorted(number for batch in group for number in batch.numbers)
    shown = ", ".join(map(str, numbers[:12]))
    more = f" and {len(numbers) - 12} more" if len(numbers) > 12 else ""
    return f" (batch of {group[0].examples if group else 'examples'} {shown}{more})"
