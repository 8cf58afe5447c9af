"""What the self-attention GAN reaches: against a DCGAN, with and without attention, and how fast it is.

    python benchmarks/gan.py quality --fashion DIR --hangul FILE --out FOLDER [--minutes 20] [--seeds 1 2 3]
    python benchmarks/gan.py agree --out FOLDER [--minutes 10]       far things of a picture that must agree
    python benchmarks/gan.py speed                                  the layer, and a whole training step
    python benchmarks/gan.py table --out FOLDER                     what is there so far

DIR holds the idx files of Fashion-MNIST (Debian: dataset-fashion-mnist), FILE is an .npz with `images` [faces,
syllables, 32, 32], `syllable` and `image_split`. Each row (data, model, seed) is a run folder and a result beside it:
what is there is not done again, and a run that was interrupted is resumed. Models have equal parameters (DCGAN: the
nearest width).

Distances are taken in the space of a classifier that is trained once on the real pictures, and named by its hash; the
floor is the same number for real pictures that nobody learned from.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
import yaml
from torch import Tensor, nn

import jumok
from jumok.config import ImageGanConfig, resolve
from jumok.data.picturebook import COLOURS
from jumok.durable import write_file
from jumok.evaluation.generated import against_real, compare
from jumok.evaluation.picture_classifier import load_classifier, save_classifier, train_classifier
from jumok.models.grid_attention import GridSelfAttention
from jumok.tasks.image_gan.build import build_players, parameters_of
from jumok.tasks.image_gan.losses import DiscriminatorLoss, GeneratorLoss
from jumok.tasks.image_gan.model import ImageGanModel
from jumok.tasks.image_gan.pictures import ImageBatch, Stored, as_numbers, stored_pictures

MODELS = ("sagan", "sngan", "dcgan")
SAMPLES = 5000
TOGETHER = 250
MOST_STEPS = 10_000_000
"""Far more than the time allows."""


@dataclass(frozen=True)
class Row:
    """A model trained on a set of pictures from a seed."""

    data: str
    model: str
    seed: int

    def folder(self, out: Path) -> Path:
        """Its run."""
        return out / f"{self.data}-{self.model}-{self.seed}"

    def result(self, out: Path) -> Path:
        """What was measured."""
        return out / f"{self.data}-{self.model}-{self.seed}.json"


def keys_of(row: Row, data: dict[str, Any], minutes: float, more: dict[str, Any]) -> dict[str, Any]:
    """The keys of a row: equal parameters for all models, and the same time."""
    keys: dict[str, Any] = {"task": "image-gan", "model.preset": row.model, "seed": row.seed, **data, **more}
    keys |= {"train.max_minutes": minutes, "train.max_steps": MOST_STEPS}
    if row.model == "dcgan":
        keys["model.width"] = equal_width(keys)
    return keys


def size_of(keys: dict[str, Any], classes: int = 10) -> int:
    """The parameters of both players."""
    config = resolve(keys)
    assert isinstance(config, ImageGanConfig)
    return sum(parameters_of(player) for player in build_players(config, classes))


def equal_width(keys: dict[str, Any]) -> int:
    """The width at which a DCGAN has as many parameters as the SAGAN of these keys."""
    wanted = size_of(keys | {"model.preset": "sagan"})
    return min(range(2, 129), key=lambda width: abs(size_of(keys | {"model.width": width}) - wanted))


def train(row: Row, keys: dict[str, Any], out: Path) -> ImageGanModel:
    """The trained run of a row, resumed if it was interrupted."""
    folder = row.folder(out)
    if (folder / "config.json").exists():
        return jumok.train(resume=folder)  # type: ignore[return-value]
    return jumok.train(keys, out=folder)  # type: ignore[return-value]


def blocks(store: Stored, numbers: np.ndarray) -> Iterator[Tensor]:
    """Pictures of a store as numbers, a few at a time."""
    for start in range(0, len(numbers), TOGETHER):
        yield store.batch(numbers[start : start + TOGETHER]).pictures_BCHW


def drawn_blocks(model: ImageGanModel, count: int, seed: int) -> Iterator[Tensor]:
    """Generated pictures, as they are stored: in 256 levels."""
    drawn = model.generate(count, seed=seed)
    for start in range(0, count, TOGETHER):
        pixels = np.stack([one.pixels_HWC for one in drawn[start : start + TOGETHER]])
        yield as_numbers(torch.from_numpy(pixels))


def classifier_of(data: str, train_set: Stored, out: Path, steps: int) -> tuple[Any, str]:
    """The frozen classifier of a set of pictures, trained at first use."""
    path = out / f"{data}-classifier.safetensors"
    channels = train_set.store.shape[2]
    if not path.exists():
        random = np.random.Generator(np.random.PCG64(1))

        def batches() -> Iterator[tuple[Tensor, Tensor]]:
            while True:
                batch = train_set.batch(random.integers(len(train_set), size=64))
                assert batch.labels_B is not None
                yield batch.pictures_BCHW, batch.labels_B

        save_classifier(train_classifier(batches(), channels, train_set.classes, steps), path)
    return load_classifier(path, channels, train_set.classes)


def measure(row: Row, model: ImageGanModel, out: Path, samples: int, steps: int) -> dict[str, Any]:
    """All measures of a run against real pictures, with those of other real pictures beside them."""
    train_set, other = model.pictures, stored_pictures(model.folder, "dev")
    classifier, name = classifier_of(row.data, train_set, out, steps)
    count = min(samples, len(train_set), len(other))
    real = classifier.space(blocks(train_set, np.arange(count)))
    drawn = classifier.space(drawn_blocks(model, count, seed=1000 + row.seed))
    floor = against_real(real, classifier.space(blocks(other, np.arange(count))))
    found = compare(real, drawn)
    return {
        "row": vars(row),
        "classifier": name,
        "pictures": count,
        "parameters": parameters_of(model.generator) + parameters_of(model.discriminator),
        "steps": last_step(model.folder),
        "gamma": [float(value) for key, value in model.generator.state_dict().items() if key.endswith("gamma")],
        "drawn": {key: value.as_dict() for key, value in found.items()},
        "real": {key: value.as_dict() for key, value in floor.items()},
    }


def last_step(folder: Path) -> int:
    """How far a run came."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return int(json.loads(lines[-1])["step"]) if lines else 0


def given_keys(items: list[str]) -> dict[str, Any]:
    """Keys and values as the command line of jumok reads them."""
    pairs = (item.split("=", 1) for item in items)
    return {key: yaml.safe_load(value) for key, value in pairs}


def quality(asked: argparse.Namespace) -> None:
    """Fashion-MNIST and Hangul: three models, each from several seeds."""
    more = given_keys(asked.keys)
    for data, keys in data_sets(asked).items():
        for seed in asked.seeds:
            for name in asked.models:
                row = Row(data, name, seed)
                if row.result(asked.out).exists():
                    continue
                model = train(row, keys_of(row, keys, asked.minutes, more), asked.out)
                found = measure(row, model, asked.out, asked.samples, asked.classifier_steps)
                write_file(row.result(asked.out), json.dumps(found, indent=1).encode())
                print(line_of(found), flush=True)


def data_sets(asked: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The sets of pictures that were named, by the keys that read them."""
    found: dict[str, dict[str, Any]] = {}
    if asked.fashion:
        path = next(asked.fashion.glob("train-images-idx3-ubyte*"))
        found["fashion"] = {"data.train": str(path), "data.side": 32, "data.held_out": SAMPLES}
    if asked.hangul:
        path = asked.out / f"hangul-{asked.syllables}.npz"
        if not path.exists():
            write_hangul(asked.hangul, path, asked.syllables)
        found["hangul"] = {"data.train": str(path), "data.labels": "syllable", "data.held_out": SAMPLES}
    return found


def write_hangul(source: Path, path: Path, syllables: int) -> None:
    """The training pictures of the first syllables, with what they show."""
    with np.load(source, allow_pickle=False) as file:
        images, names, split = file["images"], file["syllable"], file["image_split"]
    chosen = (split == "train") & (np.arange(len(names)) < syllables)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, images=images[chosen], syllable=np.broadcast_to(names, split.shape)[chosen])


def agree(asked: argparse.Namespace) -> None:
    """Two things far apart, of one colour: how often do drawn ones agree, with and without attention?"""
    more = given_keys(asked.keys)
    data = {"data.book": "picturebook", "data.scenes": "agree", "data.colour": True, "data.labelled": False}
    for seed in asked.seeds:
        for name in ("sagan", "sngan"):
            row = Row("agree", name, seed)
            if row.result(asked.out).exists():
                continue
            model = train(row, keys_of(row, data, asked.minutes, more), asked.out)
            drawn = np.stack([one.pixels_HWC for one in model.generate(asked.samples, seed=1000 + seed)])
            real = model.pictures.store.batch(range(min(asked.samples, len(model.pictures))))
            found = {
                "row": vars(row),
                "steps": last_step(model.folder),
                "agreement": agreement(drawn),
                "by_chance": agreement(shuffled(drawn)),
                "real": agreement(real),
                "colours": len(np.unique(colours_of(drawn)[:, 0])),
            }
            write_file(row.result(asked.out), json.dumps(found, indent=1).encode())
            print(found, flush=True)


def colours_of(pixels_BHWC: np.ndarray) -> np.ndarray:
    """[B, 2]: which colour of the picturebook the left and the right thing have in their middle."""
    side = pixels_BHWC.shape[1]
    known = np.asarray(list(COLOURS.values()), float)
    found = []
    for column in (side // 4, 3 * side // 4):
        patch = pixels_BHWC[:, side // 2 - 1 : side // 2 + 2, column - 1 : column + 2].astype(float).mean((1, 2))
        found.append(((patch[:, None] - known) ** 2).sum(2).argmin(1))
    return np.stack(found, 1)


def agreement(pixels_BHWC: np.ndarray) -> float:
    """The share of pictures whose two things have one colour."""
    colours = colours_of(pixels_BHWC)
    return float((colours[:, 0] == colours[:, 1]).mean())


def shuffled(pixels_BHWC: np.ndarray) -> np.ndarray:
    """Left halves beside the right halves of other pictures: what agrees by chance."""
    order = np.random.Generator(np.random.PCG64(1)).permutation(len(pixels_BHWC))
    half = pixels_BHWC.shape[2] // 2
    return np.concatenate([pixels_BHWC[:, :, :half], pixels_BHWC[order][:, :, half:]], axis=2)


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
    from jumok.training.distributed import Processes
    from jumok.training.learner import Learner
    from jumok.training.player import Player

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
    from jumok.models.grid_attention import GridAttended

    return lambda features, need_weights=False, strength=1.0: GridAttended(written(features))


LAYERS = ((64, 32, 16), (64, 64, 16), (32, 64, 32), (16, 256, 32))


def speed(asked: argparse.Namespace) -> None:
    """Prints both comparisons."""
    torch.set_num_threads(asked.threads)
    for batch, channels, side in LAYERS if asked.rounds > 1 else LAYERS[:1]:
        found = layer_speed(batch, channels, side, asked.rounds)
        ratio = found["written out"] / found["ours"]
        print(
            f"layer {batch} × {channels} × {side}²: ours {1e3 * found['ours']:.1f} ms, written out "
            f"{1e3 * found['written out']:.1f} ms, {ratio:.2f} ×",
            flush=True,
        )
    for keys in ({}, {"data.side": 64, "data.colour": True, "data.batch": 32}) if asked.rounds > 1 else ({},):
        found = step_speed({**keys, **given_keys(asked.keys)}, asked.rounds)
        size = resolve({"task": "image-gan", **keys}).model_dump()["data"]
        rates = {name: size["batch"] / seconds for name, seconds in found.items()}
        print(
            f"step {size['side']}² {'colour' if size['colour'] else 'grey'}: ours {rates['ours']:.0f} images/s, plain "
            f"{rates['plain']:.0f} images/s, {rates['ours'] / rates['plain']:.2f} ×",
            flush=True,
        )


def line_of(found: dict[str, Any]) -> str:
    """A result in one line."""
    row, drawn, real = found["row"], found["drawn"], found["real"]
    parts = [f"{name} {drawn[name]['value']:.3f} (real {real[name]['value']:.3f})" for name in drawn]
    return f"{row['data']} {row['model']} seed {row['seed']}, {found['steps']:,} steps: " + ", ".join(parts)


def table(asked: argparse.Namespace) -> None:
    """Prints what was measured so far."""
    for path in sorted(asked.out.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        print(line_of(found) if "drawn" in found else found)


def arguments() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("quality", "agree", "speed", "table"))
    parser.add_argument("--fashion", type=Path, help="folder with the idx files of Fashion-MNIST")
    parser.add_argument("--hangul", type=Path, help=".npz of Hangul glyphs")
    parser.add_argument("--syllables", type=int, default=320, help="the first so many syllables")
    parser.add_argument("--out", type=Path, default=Path("runs/gan"))
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--classifier-steps", type=int, default=2000)
    parser.add_argument("--keys", nargs="*", default=[], help="further keys for every model, such as model.width=24")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    return parser


def main() -> None:
    """Does the part that is asked for."""
    asked = arguments().parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    {"quality": quality, "agree": agree, "speed": speed, "table": table}[asked.part](asked)


if __name__ == "__main__":
    main()
