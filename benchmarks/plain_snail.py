"""Speed of learning from episodes: ours beside SNAIL written straight from the paper with torch's own layers.

    python benchmarks/plain_snail.py [--ways 5] [--shots 1] [--queries 1] [--episodes 32] [--threads 2] [--single]
                                     [--clock processor]

Both networks have the same weights, get the same episodes of the glyphbook in the same order, and move by Adam with
the same rate. They take turns, step by step, so that what else the machine does meets both. The plain network reads a
sequence for each query, as the paper does; where queries share a support set it embeds every picture once, as a
careful engineer would; `--single` asks one query of each episode, so that nothing can be shared. A second plain row
keeps its maps in torch's channels_last order, which not everybody knows of.
`--clock processor` counts processor time, which other work on the machine changes less than the clock.
"""

import argparse
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.config import FewShotConfig, resolve
from jumok.data.episodes import EpisodeBatch, Episodes
from jumok.models.few_shot import FewShotClassifier
from jumok.tasks.few_shot.build import build_classifier
from jumok.tasks.few_shot.pictures import store_pictures, stored_classes
from jumok.tasks.few_shot.task import NamingLoss
from jumok.training.distributed import Processes
from jumok.training.learner import Learner


class CausalConv(nn.Module):
    """A convolution of width 2 over the present and the step `dilation` before it."""

    def __init__(self, inputs: int, filters: int, dilation: int) -> None:
        super().__init__()
        self.dilation = dilation
        self.convolve = nn.Conv1d(inputs, filters, 2, dilation=dilation)

    def forward(self, x_BDT: Tensor) -> Tensor:
        return self.convolve(F.pad(x_BDT, (self.dilation, 0)))


class Dense(nn.Module):
    """Two convolutions, one the gate of the other, beside their input."""

    def __init__(self, inputs: int, filters: int, dilation: int) -> None:
        super().__init__()
        self.found, self.gate = CausalConv(inputs, filters, dilation), CausalConv(inputs, filters, dilation)

    def forward(self, x_BDT: Tensor) -> Tensor:
        return torch.cat([x_BDT, torch.tanh(self.found(x_BDT)) * torch.sigmoid(self.gate(x_BDT))], dim=1)


class Temporal(nn.Module):
    """Dense blocks with dilations 1, 2, 4, …"""

    def __init__(self, inputs: int, length: int, filters: int) -> None:
        super().__init__()
        count = math.ceil(math.log2(length))
        self.blocks = nn.Sequential(*(Dense(inputs + i * filters, filters, 2**i) for i in range(count)))
        self.size = inputs + count * filters

    def forward(self, x_BTD: Tensor) -> Tensor:
        return self.blocks(x_BTD.transpose(1, 2)).transpose(1, 2)


class Attend(nn.Module):
    """One causal look, beside its input."""

    def __init__(self, inputs: int, key: int, value: int) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(inputs, key), nn.Linear(inputs, key), nn.Linear(inputs, value)
        self.root, self.size = math.sqrt(key), inputs + value

    def forward(self, x_BTD: Tensor) -> Tensor:
        scores_BTS = self.query(x_BTD) @ self.key(x_BTD).transpose(1, 2) / self.root
        later_TS = torch.ones_like(scores_BTS[0], dtype=torch.bool).triu(1)
        weights_BTS = scores_BTS.masked_fill(later_TS, -math.inf).softmax(-1)
        return torch.cat([x_BTD, weights_BTS @ self.value(x_BTD)], dim=-1)


def image_block(inputs: int, filters: int) -> nn.Sequential:
    """3 × 3 convolution, batch norm, ReLU, 2 × 2 max-pool."""
    convolve = nn.Conv2d(inputs, filters, 3, padding=1, bias=False)
    return nn.Sequential(convolve, nn.BatchNorm2d(filters), nn.ReLU(), nn.MaxPool2d(2))


class PlainSnail(nn.Module):
    """The embedding, the blocks and a linear layer, as in figure 2 of the paper."""

    def __init__(self, config: FewShotConfig) -> None:
        super().__init__()
        data, model = config.data, config.model
        self.ways, self.layout = data.ways, torch.contiguous_format
        layers = [image_block(1 if i == 0 else model.image_filters, model.image_filters) for i in range(4)]
        self.images = nn.Sequential(*layers)
        self.linear = nn.Linear(model.image_filters * (data.side // 16) ** 2, model.embedding)
        size, blocks = model.embedding + data.ways, list[nn.Module]()
        for number, key in enumerate(model.keys):
            if number:
                temporal = Temporal(size, data.ways * data.shots + 1, model.filters)
                blocks.append(temporal)
                size = temporal.size
            attend = Attend(size, key, key // 2)
            blocks.append(attend)
            size = attend.size
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(size, data.ways)

    def forward(self, pixels_EIHW: Tensor, support_ES: Tensor) -> Tensor:
        """The scores [E, Q, ways] of the queries, each the end of a sequence of its own."""
        E, I = pixels_EIHW.shape[:2]
        S = support_ES.shape[1]
        pixels = (pixels_EIHW.flatten(0, 1).unsqueeze(1).to(self.linear.weight.dtype) / 255).to(
            memory_format=self.layout
        )
        vectors_EID = self.linear(self.images(pixels).flatten(1)).view(E, I, -1)
        known = torch.cat([vectors_EID[:, :S], F.one_hot(support_ES, self.ways).to(vectors_EID.dtype)], dim=-1)
        asked = F.pad(vectors_EID[:, S:], (0, self.ways))
        sequences = torch.cat([known.unsqueeze(1).expand(-1, I - S, -1, -1), asked.unsqueeze(2)], dim=2)
        return self.head(self.blocks(sequences.flatten(0, 1))[:, -1]).view(E, I - S, -1)

    def in_channels_last(self) -> "PlainSnail":
        """The same network with its maps pixel by pixel."""
        self.layout = torch.channels_last
        self.images.to(memory_format=torch.channels_last)
        return self

    @torch.no_grad()
    def take(self, ours: FewShotClassifier) -> "PlainSnail":
        """The same network with our weights."""
        for layer, convolve, norm in zip(self.images, ours.embedding.convolutions, ours.embedding.norms, strict=True):
            layer[0].load_state_dict(convolve.state_dict())
            layer[1].load_state_dict(norm.state_dict())
        self.linear.load_state_dict(ours.embedding.linear.state_dict())
        self.head.load_state_dict(ours.head.state_dict())
        for mine, theirs in zip(self.blocks, ours.blocks.parts, strict=True):
            if isinstance(mine, Attend):
                for name in ("query", "key", "value"):
                    getattr(mine, name).load_state_dict(getattr(theirs, name).state_dict())
            else:
                _take_dense(mine, theirs)
        return self


def _take_dense(mine: Temporal, theirs) -> None:
    for plain, dense in zip(mine.blocks, theirs.parts, strict=True):
        taps = torch.stack([dense.past.weight, dense.now.weight], dim=-1)
        for part, weight, bias in zip((plain.found, plain.gate), taps.chunk(2), dense.now.bias.chunk(2), strict=True):
            part.convolve.weight.copy_(weight)
            part.convolve.bias.copy_(bias)


def plain_step(model: PlainSnail, config: FewShotConfig) -> Callable[[EpisodeBatch], float]:
    """One step of learning, as it is written by hand."""
    train = config.train
    optimizer = torch.optim.Adam(model.parameters(), train.learning_rate, train.betas)

    def step(batch: EpisodeBatch) -> float:
        logits = model(batch.pixels_EIHW, batch.support_ES)
        loss = F.cross_entropy(logits.flatten(0, 1), batch.answers_EQ.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), train.clip)
        optimizer.step()
        return loss.item()

    return step


def our_step(model: FewShotClassifier, config: FewShotConfig) -> Callable[[EpisodeBatch], float]:
    """One step of the house's own training."""
    cpu = torch.device("cpu")
    learner = Learner.of_model(model, NamingLoss(), config.train, cpu, "float32", Processes(), config.seed)

    def step(batch: EpisodeBatch) -> float:
        return learner.apply(learner.step([batch], batch.size, 0.0)).means()["loss"]

    return step


def with_one_query(batch: EpisodeBatch) -> EpisodeBatch:
    """The episodes with their first query alone, whose class is any of them."""
    shots = batch.support_ES.shape[1]
    return replace(batch, pixels_EIHW=batch.pixels_EIHW[:, : shots + 1], answers_EQ=batch.answers_EQ[:, :1])


CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


def measure(
    config: FewShotConfig, folder: Path, steps: int, single: bool = False, clock: str = "wall"
) -> dict[str, float]:
    """Episodes (support set and its queries) per second of each, the median over the steps."""
    store_pictures(config, folder)
    data = config.data
    episodes = Episodes(stored_classes(folder, "train"), data.ways, data.shots, data.queries, config.seed)
    torch.manual_seed(config.seed)
    ours = build_classifier(config)
    makers = {
        "plain": plain_step(PlainSnail(config).take(ours).train(), config),
        "plain, channels_last": plain_step(PlainSnail(config).in_channels_last().take(ours).train(), config),
        "jumok": our_step(ours, config),
    }
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    for number in range(steps):
        batch = episodes.batch(range(number * data.episodes, (number + 1) * data.episodes))
        batch = with_one_query(batch) if single else batch
        for name, step in makers.items():
            start = CLOCKS[clock]()
            step(batch)
            seconds[name].append(CLOCKS[clock]() - start)
    # The first step of each warms up.
    return {name: data.episodes / statistics.median(taken[1:]) for name, taken in seconds.items()}


def main() -> None:
    """Prints the speeds and their ratios as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("ways", 5), ("shots", 1), ("queries", 1), ("episodes", 32), ("threads", 2), ("steps", 30)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--single", action="store_true", help="one query of each episode")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--set", nargs="*", default=[], help="further keys, as for `jumok train`")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    sizes = {f"data.{name}": getattr(asked, name) for name in ("ways", "shots", "queries", "episodes")}
    config = resolve({"task": "few-shot", "data.classes": 60, "data.held_out": 20, **sizes}, asked.set)
    assert isinstance(config, FewShotConfig)
    with tempfile.TemporaryDirectory() as folder:
        speeds = measure(config, Path(folder), asked.steps, asked.single, asked.clock)
    ratio = {f"jumok / {name}": speeds["jumok"] / speeds[name] for name in speeds if name != "jumok"}
    asking = {name: getattr(asked, name) for name in ("threads", "single", "clock")}
    print(json.dumps({"episodes per second": speeds, **ratio, **sizes, **asking}, indent=2))


if __name__ == "__main__":
    main()
