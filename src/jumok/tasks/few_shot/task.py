"""Few-shot classification as a task: classes of pictures in, a model that names new ones from a few examples out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from jumok.config import FewShotConfig
from jumok.data.bucketing import Position
from jumok.data.episodes import Classes, EpisodeBatch, Episodes
from jumok.errors import ConfigError
from jumok.models.few_shot import FewShotClassifier, nearest_loss
from jumok.tasks.few_shot.build import build_classifier
from jumok.tasks.few_shot.metrics import ATTENTION, METRICS
from jumok.tasks.few_shot.pictures import store_pictures, stored_classes
from jumok.tasks.task import Opened, Place, Say, Task, check_network, require_validation
from jumok.tasks.warm_start import check_fit, new_network
from jumok.training.events import Validation
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.objective import Average, BatchLoss, Objective

# Validation episodes are drawn from a seed of their own, so that they are the same for every run.
DEV_SEED = 20_260
VALIDATED_TOGETHER = 20


@dataclass(frozen=True)
class WithClasses(Opened[FewShotConfig]):
    """A run folder with its pictures by class."""

    train: Classes
    dev: Classes


class NamingLoss(Objective):
    """Σ −log p(label | support set, query) over the queries, and `compare` times the same by distance alone.

    The second loss chooses among the classes of the whole batch. It reaches the embedding without the blocks between,
    so that pictures of a class come together from the first step on; naming does not use it.
    """

    def __init__(self, compare: float = 0.0) -> None:
        self.compare = compare

    @property
    def losses(self) -> Mapping[str, Average]:
        return {"loss": "unit", "accuracy": "unit"}

    def __call__(
        self,
        model: FewShotClassifier,
        batch: EpisodeBatch,
        step: int,
        coins: torch.Generator,
        carried: Mapping[str, float],
    ) -> BatchLoss:
        vectors_EID = model.embed(batch.pixels_EIHW)
        logits = model.name(vectors_EID, batch.support_ES).logits_EQN.flatten(0, 1)
        answers = batch.answers_EQ.flatten()
        total = named = F.cross_entropy(logits, answers, reduction="sum")
        if self.compare:
            near = nearest_loss(vectors_EID, batch.support_ES, batch.answers_EQ, batch.classes_EN)
            total = total + self.compare * near
        right = 100 * (logits.argmax(-1) == answers).sum()
        return BatchLoss(total, {"loss": named.detach(), "accuracy": right})


class FewShot(Task[FewShotConfig]):
    """From classes of pictures to a classifier of new classes."""

    name = "few-shot"

    def title(self, config: FewShotConfig) -> str:
        data = config.data
        stem = Path(data.train).stem if data.train else "glyphbook"
        return f"{stem}-{data.ways}-way-{data.shots}-shot"

    def check_recipe(self, config: FewShotConfig) -> FewShotClassifier:
        require_validation(config)
        network = check_network(config, build_classifier)
        reach, examples = network.blocks.reach, config.data.ways * config.data.shots
        if reach is not None and reach <= examples:
            raise ConfigError(
                f"The blocks look {reach - 1} examples back, and an episode has {examples} (data.ways × data.shots); "
                "set model.parts=both, or choose a model.attention that reaches all."
            )
        if config.train.stop_metric == ATTENTION.name and not network.attends:
            raise ConfigError("train.stop_metric=attention needs an attention block; set it to accuracy or loss.")
        return network

    def check(self, config: FewShotConfig, *, begins: bool = True) -> None:
        network = self.check_recipe(config)
        if config.train.init_from and begins:
            check_fit(network, Path(config.train.init_from))

    def store(self, config: FewShotConfig, folder: Path) -> None:
        store_pictures(config, folder)
        for split, queries in (("train", config.data.queries), ("dev", 1)):
            _episodes(stored_classes(folder, split), config, queries, config.seed)  # too few are refused here

    def open(self, folder: Path, config: FewShotConfig) -> WithClasses:
        return WithClasses(folder, config, stored_classes(folder, "train"), stored_classes(folder, "dev"))

    def setup(self, opened: WithClasses, place: Place, say: Say | None) -> Setup:
        config = opened.config
        model = new_network(build_classifier, config, place, say)
        learner = Learner.of_model(
            model,
            NamingLoss(config.model.compare),
            config.train,
            place.device,
            config.runtime.precision,
            place.processes,
            config.seed,
        )
        batches = Stream(opened, place)
        validate = Validator(opened, place.device)
        stop = next(metric for metric in METRICS if metric.name == config.train.stop_metric)
        return Setup(learner, batches, validate, opened.folder, place.interrupts, place.environment, METRICS, stop)


def _episodes(classes: Classes, config: FewShotConfig, queries: int, seed: int, rotations: bool = False) -> Episodes:
    data = config.data
    return Episodes(classes, data.ways, data.shots, queries, seed, rotations=rotations)


class Stream:
    """Endless batches of new episodes from a position on; batch b holds episodes b·E, …, b·E + E − 1."""

    def __init__(self, opened: WithClasses, place: Place) -> None:
        config = opened.config
        self.episodes = _episodes(opened.train, config, config.data.queries, config.seed, config.data.rotations)
        self.size, self.processes = config.data.episodes, place.processes

    def __call__(self, position: Position) -> Iterator[tuple[Position, EpisodeBatch]]:
        for number in count(position.batch):
            first = number * self.size
            mine = range(first, first + self.size)[self.processes.rank :: self.processes.world]
            yield Position(0, number), self.episodes.batch(mine)


class Validator:
    """Accuracy on episodes of classes that were never learned, one query of each class, as published."""

    def __init__(self, opened: WithClasses, device: torch.device) -> None:
        self.episodes = _episodes(opened.dev, opened.config, 1, DEV_SEED)
        self.count, self.device = opened.config.train.validate_size, device

    def __call__(self, model: FewShotClassifier) -> Validation:
        found = score_episodes(model, self.episodes, self.count, self.device)
        return Validation({name: float(values.mean()) for name, values in found.items()})


@torch.no_grad()
def score_episodes(
    model: FewShotClassifier, episodes: Episodes, count: int, device: torch.device, first: int = 0
) -> dict[str, Tensor]:
    """Loss, accuracy in percent and attention on the right class in percent, a mean for each episode.

    The attention is that of the block which over all episodes looks most at the right class; there is none where no
    block attends.
    """
    rows: list[Tensor] = []
    shares: list[Tensor] = []
    for start in range(first, first + count, VALIDATED_TOGETHER):
        batch = episodes.batch(range(start, min(first + count, start + VALIDATED_TOGETHER))).to(device)
        named = model(batch.pixels_EIHW, batch.support_ES, need_weights=True)
        loss_EQ = F.cross_entropy(named.logits_EQN.mT, batch.answers_EQ, reduction="none")
        right_EQ = 100.0 * (named.logits_EQN.argmax(-1) == batch.answers_EQ)
        rows.append(torch.stack([loss_EQ.mean(1), right_EQ.mean(1)]))
        blocks = [attention_accuracy(block, batch.support_ES, batch.answers_EQ) for block in named.weights]
        shares += [100 * torch.stack(blocks).mean(2)] if blocks else []
    loss, accuracy = torch.cat(rows, dim=1).cpu()
    found = {"loss": loss, "accuracy": accuracy}
    if not shares:
        return found
    each_LE = torch.cat(shares, dim=1).cpu()
    return found | {ATTENTION.name: each_LE[each_LE.mean(1).argmax()]}


def attention_accuracy(weights_EQS: Tensor, support_ES: Tensor, answers_EQ: Tensor) -> Tensor:
    """[E, Q]: the share of a query's weight on examples (all but the last column) that lies on its own class."""
    right_EQS = support_ES.unsqueeze(1) == answers_EQ.unsqueeze(2)
    on_examples = weights_EQS[..., :-1]
    return (on_examples * right_EQS).sum(-1) / on_examples.sum(-1).clamp_min(1e-9)
