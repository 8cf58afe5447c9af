"""How fast the self-attention GAN is: the layer beside its formula, and a whole training step beside a plain loop.

`python benchmarks/gan.py speed` prints both.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.config import ImageGanConfig, resolve
from jumok.models.grid_attention import GridAttended, GridSelfAttention
from jumok.tasks.image_gan.build import build_players
from jumok.tasks.image_gan.losses import DiscriminatorLoss, GeneratorLoss
from jumok.tasks.image_gan.pictures import ImageBatch
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.player import Player


class WrittenOut(nn.Module):
    """The layer as its formula reads, in plain torch: what others write."""

    def __init__(self, own: GridSelfAttention) -> None:
        super().__init__()
        self.own = own

    def forward(self, x_BCHW: Tensor) -> Tensor:
        """γ · W_v Σ β h + x."""
        B, _, H, W = x_BCHW.shape
        f, g, h = (part(x_BCHW).flatten(2) for part in (self.own.f, self.own.g, self.own.h))
        beta = torch.softmax(torch.bmm(f.transpose(1, 2), g), dim=1)
        found = torch.bmm(h, beta).view(B, -1, H, W)
        return self.own.gamma * self.own.v(found) + x_BCHW


def in_turns(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least seconds of each piece of work; they take turns, so that a busy machine slows all of them."""
    best = dict.fromkeys(works, float("inf"))
    for number in range(rounds + 1):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if number:  # the first round warms up
                best[name] = min(best[name], time.perf_counter() - began)
    return best


def layer_speed(batch: int, channels: int, side: int, rounds: int) -> dict[str, float]:
    """Seconds of a forward and backward pass: ours and the formula written out."""
    torch.manual_seed(1)
    layer = GridSelfAttention(channels)
    nn.init.constant_(layer.gamma, 0.5)
    x = torch.randn(batch, channels, side, side).contiguous(memory_format=torch.channels_last).requires_grad_()
    towards = torch.randn_like(x)

    def learn(part: nn.Module) -> Callable[[], object]:
        return lambda: torch.autograd.grad((part(x) * towards).sum(), [x, *layer.parameters()])

    return in_turns({"ours": learn(layer), "written out": learn(WrittenOut(layer))}, rounds)


def step_speed(keys: dict[str, Any], rounds: int) -> dict[str, float]:
    """Seconds of a whole training step: ours and the same networks with the attention written out, in a plain loop."""
    config = resolve({"task": "image-gan", **keys})
    assert isinstance(config, ImageGanConfig)
    channels, batch = (3 if config.data.colour else 1), config.data.batch
    random = torch.Generator().manual_seed(1)
    pictures = torch.rand(batch, channels, config.data.side, config.data.side, generator=random) * 2 - 1
    labels = torch.arange(batch) % 10
    given = ImageBatch(list(range(batch)), pictures.contiguous(memory_format=torch.channels_last), labels)
    return in_turns({"ours": _house_step(config, given), "plain": _plain_step(config, given)}, rounds)


def _players(config: ImageGanConfig) -> nn.ModuleDict:
    torch.manual_seed(1)
    generator, discriminator = build_players(config, 10)
    return nn.ModuleDict({"generator": generator, "discriminator": discriminator}).train()


def _house_step(config: ImageGanConfig, batch: ImageBatch) -> Callable[[], object]:
    """A step of the learner that `jumok train` uses."""
    model, settings = _players(config), config.train
    players = [
        Player.of("generator", model["generator"], GeneratorLoss("hinge"), settings),
        Player.of("discriminator", model["discriminator"], DiscriminatorLoss("hinge"), settings),
    ]
    turns = ("discriminator", "generator")
    learner = Learner(players, settings, torch.device("cpu"), "float32", Processes(), 1, turns)

    def work() -> None:
        for turn in range(2):
            learner.apply(learner.step([batch], len(batch), 0.0, turn))

    return work


def _plain_step(config: ImageGanConfig, batch: ImageBatch) -> Callable[[], object]:
    """The loop that everybody writes: two Adams, two losses, an average of the generator."""
    model = _players(config)
    for player in model.values():
        looks = player.looks
        assert isinstance(looks, nn.ModuleDict)
        for layer in looks.values():
            assert isinstance(layer, GridSelfAttention)
            layer.look = _looking(WrittenOut(layer))  # type: ignore[method-assign]
    adams = {
        name: torch.optim.Adam(player.parameters(), config.train.learning_rate, (0.0, 0.9))
        for name, player in model.items()
    }
    average = {name: value.clone() for name, value in model["generator"].state_dict().items()}
    pictures, labels = batch.pictures_BCHW.contiguous(), batch.labels_B
    noise = config.model.noise

    def work() -> None:
        generator, discriminator = model["generator"], model["discriminator"]
        with torch.no_grad():
            false = generator(torch.randn(len(batch), noise), labels)
        loss = F.relu(1 - discriminator(pictures, labels)).mean() + F.relu(1 + discriminator(false, labels)).mean()
        adams["discriminator"].zero_grad()
        loss.backward()
        adams["discriminator"].step()
        loss = -discriminator(generator(torch.randn(len(batch), noise), labels), labels).mean()
        adams["generator"].zero_grad()
        loss.backward()
        adams["generator"].step()
        with torch.no_grad():
            for name, value in generator.state_dict().items():
                average[name].lerp_(value, 0.01) if value.is_floating_point() else average[name].copy_(value)

    return work


def _looking(written: WrittenOut) -> Callable[..., Any]:
    return lambda features, need_weights=False, strength=1.0: GridAttended(written(features))


LAYERS = ((64, 32, 16), (64, 64, 16), (32, 64, 32), (16, 256, 32))
STEPS: tuple[dict[str, Any], ...] = ({}, {"data.side": 64, "data.colour": True, "data.batch": 32})


def speed(asked: argparse.Namespace, given: dict[str, Any]) -> None:
    """Prints both comparisons; `given` are further keys of the networks."""
    torch.set_num_threads(asked.threads)
    for batch, channels, side in LAYERS if asked.rounds > 1 else LAYERS[:1]:
        found = layer_speed(batch, channels, side, asked.rounds)
        ratio = found["written out"] / found["ours"]
        print(
            f"layer {batch} × {channels} × {side}²: ours {1e3 * found['ours']:.1f} ms, written out "
            f"{1e3 * found['written out']:.1f} ms, {ratio:.2f} ×",
            flush=True,
        )
    for keys in STEPS if asked.rounds > 1 else STEPS[:1]:
        print(step_line({**keys, **given}, asked.rounds), flush=True)


def step_line(keys: dict[str, Any], rounds: int) -> str:
    """The speed of a training step of these keys in one line."""
    found = step_speed(keys, rounds)
    size = resolve({"task": "image-gan", **keys}).model_dump()["data"]
    rates = {name: size["batch"] / seconds for name, seconds in found.items()}
    return (
        f"step {size['side']}² {'colour' if size['colour'] else 'grey'}: ours {rates['ours']:.0f} images/s, plain "
        f"{rates['plain']:.0f} images/s, {rates['ours'] / rates['plain']:.2f} ×"
    )
