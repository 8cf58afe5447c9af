"""What the self-attention GAN reaches: against a DCGAN, with and without attention, and how fast it is.

    python benchmarks/gan.py quality --fashion DIR --hangul FILE --out FOLDER [--budget 20] [--seeds 1 2 3]
    python benchmarks/gan.py agree --out FOLDER [--budget 10]       far things of a picture that must agree
    python benchmarks/gan.py … [--minutes 100] [--clock processor]  longest part; minutes of processor time, one thread
    python benchmarks/gan.py speed                                  the layer, and a whole training step
    python benchmarks/gan.py table --out FOLDER                     what is there so far

DIR holds the idx files of Fashion-MNIST (Debian: dataset-fashion-mnist), FILE is an .npz with `images` [faces,
syllables, 32, 32], `syllable` and `image_split`. Each row (data, model, seed) is a run folder and a result beside it.
A row has `--budget` minutes; a call trains each for at most `--minutes` (by the clock on the wall) and resumes where
the call before ended. Only a row whose training is finished is measured, once. Models have equal parameters for the
classes that there are: the nearest width, which is within 1% for the SNGAN and about 2% for the DCGAN; each result
names its own.

Distances are taken in the space of a classifier that is trained once on the real pictures, and named by its hash; how
often it is right about other real pictures stands beside it. The floor is the same number for real pictures that no
model and no classifier learned from, whatever the seed: the test set of Fashion-MNIST, and what `image_split` of the
Hangul glyphs does not call `train`.
"""

import argparse
import json
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch import Tensor

from budget import finished
from gan_speed import speed
from jumok.config import ImageGanConfig, resolve
from jumok.data.images import Labelled, read_labelled, write_store
from jumok.data.picturebook import COLOURS
from jumok.durable import write_file
from jumok.evaluation.generated import against_real, compare
from jumok.evaluation.picture_classifier import PictureClassifier, load_classifier, save_classifier, train_classifier
from jumok.run.names import METRICS, STORED
from jumok.tasks.image_gan.build import build_players, parameters_of
from jumok.tasks.image_gan.model import ImageGanModel, load
from jumok.tasks.image_gan.pictures import SPLITS, Stored, as_numbers, stored_pictures
from resuming import training, written

MODELS = ("sagan", "sngan", "dcgan")
SAMPLES = 5000
TOGETHER = 250
MOST_STEPS = 10_000_000
"""Far more than the time allows."""
CLASSIFIER = "classifier.safetensors"


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


@dataclass(frozen=True)
class Pictures:
    """A set of real pictures: those to learn from, and others that nothing learns from."""

    name: str
    train: Path
    other: Path
    labels: str | None = None
    """The array of the files that holds the classes."""

    @property
    def keys(self) -> dict[str, Any]:
        """The keys that learn from it."""
        named = {} if self.labels is None else {"data.labels": self.labels}
        return {"data.train": str(self.train), "data.side": 32, **named}

    def stored(self, config: ImageGanConfig, out: Path) -> tuple[Stored, Stored]:
        """Both sets as a run of this config sees them; they do not depend on its seed."""
        data, folder = config.data, self.folder(config, out)
        if not all((folder / STORED / split).exists() for split in SPLITS):
            shape, (train, other) = (data.side, data.side, 3 if data.colour else 1), self.read()
            for split, found in zip(SPLITS, (train, other), strict=True):
                assert found.labels is not None
                known = [number for number, label in enumerate(found.labels) if found.names[label] in train.names]
                labels = [train.names.index(found.names[found.labels[number]]) for number in known]
                rows, notes = found.rows(known, data.side, data.colour), {"names": list(train.names), "labels": labels}
                write_store(folder / STORED / split, split, shape, rows, notes=notes)
        train_set, others = (stored_pictures(folder, split) for split in SPLITS)
        return train_set, others

    def folder(self, config: ImageGanConfig, out: Path) -> Path:
        """Where both sets and the classifier of them are kept."""
        return out / f"{self.name}-real-{config.data.side}{'-colour' if config.data.colour else ''}"

    def read(self) -> tuple[Labelled, Labelled]:
        """Both sets as they were found."""
        train, other = (read_labelled(path, self.labels) for path in (self.train, self.other))
        for found, path in ((train, self.train), (other, self.other)):
            if found.labels is None:
                raise SystemExit(f"{path} has no classes; put its labels beside it.")
        return train, other


def keys_of(row: Row, data: dict[str, Any], classes: int, asked: argparse.Namespace) -> dict[str, Any]:
    """The keys of a row: equal parameters for all models, and the same time."""
    more = given_keys(asked.keys)
    keys: dict[str, Any] = {"task": "image-gan", "model.preset": row.model, "seed": row.seed, **data}
    keys |= {"train.max_minutes": asked.budget, "train.max_steps": MOST_STEPS, "train.clock": asked.clock}
    keys |= {"runtime.threads": 1} if asked.clock == "processor" else {}
    if row.model == "sagan":
        return keys | more
    wanted = size_of(keys | more | {"model.preset": "sagan"}, classes)
    keys |= {key: value for key, value in more.items() if not key.startswith("model.attention")}
    return keys | {"model.width": equal_width(keys, classes, wanted)}


def size_of(keys: dict[str, Any], classes: int) -> int:
    """The parameters of both players."""
    config = resolve(keys)
    assert isinstance(config, ImageGanConfig)
    with torch.device("meta"):
        return sum(parameters_of(player) for player in build_players(config, classes))


def equal_width(keys: dict[str, Any], classes: int, wanted: int) -> int:
    """The width at which the players of these keys have about so many parameters, which grow with it."""

    def size(width: int) -> int:
        return size_of(keys | {"model.width": width}, classes)

    above = bisect_left(range(3, 128), wanted, key=size) + 3
    return min((above - 1, above), key=lambda width: abs(size(width) - wanted))


def train(row: Row, keys: dict[str, Any], asked: argparse.Namespace) -> ImageGanModel | None:
    """The trained run of a row, resumed if it was interrupted; None where this call's minutes ended it."""
    run = row.folder(asked.out)
    if finished(training(run, [written(key, value) for key, value in keys.items()]), asked.minutes):
        return load(run)
    print(f"{run} is not finished; the same call resumes it.", flush=True)
    return None


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


def classifier_of(train_set: Stored, folder: Path, steps: int) -> tuple[PictureClassifier, str]:
    """The frozen classifier of a set of pictures, trained at first use, and its hash."""
    path, channels = folder / CLASSIFIER, train_set.store.shape[2]
    if not path.exists():
        random = np.random.Generator(np.random.PCG64(1))

        def batches() -> Iterator[tuple[Tensor, Tensor]]:
            while True:
                batch = train_set.batch(random.integers(len(train_set), size=64))
                assert batch.labels_B is not None
                yield batch.pictures_BCHW, batch.labels_B

        save_classifier(train_classifier(batches(), channels, train_set.classes, steps), path)
    return load_classifier(path, channels, train_set.classes)


@torch.no_grad()
def accuracy(classifier: PictureClassifier, pictures: Stored) -> float:
    """How often the classifier is right about pictures, in percent."""
    assert pictures.labels_N is not None
    found = [classifier(block).argmax(1) for block in blocks(pictures, np.arange(len(pictures)))]
    return 100 * float((torch.cat(found).numpy() == pictures.labels_N).mean())


def some(pictures: Stored, count: int) -> np.ndarray:
    """The numbers of so many pictures, always the same."""
    return np.random.Generator(np.random.PCG64(1)).permutation(len(pictures))[:count]


def measure(row: Row, model: ImageGanModel, data: Pictures, asked: argparse.Namespace) -> dict[str, Any]:
    """All measures of a run against real pictures, with those of other real pictures beside them."""
    train_set, other = data.stored(model.config, asked.out)
    classifier, name = classifier_of(train_set, data.folder(model.config, asked.out), asked.classifier_steps)
    count = min(asked.samples, len(train_set), len(other))
    real = classifier.space(blocks(train_set, some(train_set, count)))
    drawn = classifier.space(drawn_blocks(model, count, seed=1000 + row.seed))
    floor = against_real(real, classifier.space(blocks(other, some(other, count))))
    found = compare(real, drawn)
    return {
        "row": vars(row),
        "classifier": name,
        "classifier_accuracy": accuracy(classifier, other),
        "pictures": count,
        "parameters": parameters_of(model.generator) + parameters_of(model.discriminator),
        "steps": last_step(model.folder),
        "gamma": [float(value) for key, value in model.generator.state_dict().items() if key.endswith("gamma")],
        "drawn": {key: value.as_dict() for key, value in found.items()},
        "real": {key: value.as_dict() for key, value in floor.items()},
    }


def last_step(folder: Path) -> int:
    """How far a run came."""
    lines = (folder / METRICS).read_text(encoding="utf-8").splitlines()
    return int(json.loads(lines[-1])["step"]) if lines else 0


def given_keys(items: list[str]) -> dict[str, Any]:
    """Keys and values as the command line of jumok reads them."""
    pairs = (item.split("=", 1) for item in items)
    return {key: yaml.safe_load(value) for key, value in pairs}


def quality(asked: argparse.Namespace) -> None:
    """Fashion-MNIST and Hangul: three models, each from several seeds."""
    for data in data_sets(asked):
        classes = len(data.read()[0].names)
        for row in (Row(data.name, name, seed) for seed in asked.seeds for name in asked.models):
            if row.result(asked.out).exists():
                continue
            model = train(row, keys_of(row, data.keys, classes, asked), asked)
            if model is not None:
                found = measure(row, model, data, asked)
                write_file(row.result(asked.out), json.dumps(found, indent=1).encode())
                print(line_of(found), flush=True)


def data_sets(asked: argparse.Namespace) -> Iterator[Pictures]:
    """The sets of pictures that were named."""
    if asked.fashion:
        yield Pictures("fashion", *(idx_file(asked.fashion, part) for part in ("train", "t10k")))
    if asked.hangul:
        places = [asked.out / f"hangul-{asked.syllables}{part}.npz" for part in ("", "-other")]
        if not all(place.exists() for place in places):
            write_hangul(asked.hangul, *places, asked.syllables)
        yield Pictures("hangul", *places, "syllable")


def idx_file(folder: Path, part: str) -> Path:
    """The pictures of a part of Fashion-MNIST."""
    name = f"{part}-images-idx3-ubyte"
    found = sorted(folder.glob(f"{name}*"))
    if not found:
        raise SystemExit(f"{folder} has no {name} or {name}.gz; name the folder with the idx files of Fashion-MNIST.")
    return found[0]


def write_hangul(source: Path, train: Path, other: Path, syllables: int) -> None:
    """Pictures of the first syllables with what they show: those to learn from, and those of val and test."""
    with np.load(source, allow_pickle=False) as file:
        images, names, split = file["images"], file["syllable"], file["image_split"]
    first = np.arange(len(names)) < syllables
    for path, chosen in ((train, (split == "train") & first), (other, (split != "train") & first)):
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, images=images[chosen], syllable=np.broadcast_to(names, split.shape)[chosen])


def agree(asked: argparse.Namespace) -> None:
    """Two things far apart, of one colour: how often do drawn ones agree, with and without attention?"""
    data = {"data.book": "picturebook", "data.scenes": "agree", "data.colour": True, "data.labelled": False}
    for row in (Row("agree", name, seed) for seed in asked.seeds for name in ("sagan", "sngan")):
        if row.result(asked.out).exists():
            continue
        model = train(row, keys_of(row, data, 0, asked), asked)
        if model is None:
            continue
        drawn = np.stack([one.pixels_HWC for one in model.generate(asked.samples, seed=1000 + row.seed)])
        real = model.pictures.store.batch(range(min(asked.samples, len(model.pictures))))
        found = {
            "row": vars(row),
            "parameters": parameters_of(model.generator) + parameters_of(model.discriminator),
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
    parser.add_argument("--budget", type=float, default=20.0, help="minutes of a row, all parts together")
    parser.add_argument("--minutes", type=float, default=100.0, help="longest part of a row in this call")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="what the budget counts")
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
    parts = {"quality": quality, "agree": agree, "table": table}
    parts["speed"] = lambda asked: speed(asked, given_keys(asked.keys))
    parts[asked.part](asked)


if __name__ == "__main__":
    main()
