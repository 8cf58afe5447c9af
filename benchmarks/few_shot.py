"""Few-shot classification on Omniglot: rows of the SNAIL paper, ablations and nearest neighbours, resumable.

    python benchmarks/few_shot.py --data omniglot28.npz --out FOLDER --rows 5-way-1-shot [--minutes 100]
    python benchmarks/few_shot.py … --clock processor --budget 90 --set runtime.threads=1     # one core, shared
    python benchmarks/few_shot.py --out FOLDER --page                       # table and curves of what is there

The protocol of the paper: 28 × 28 pixels, the split of Vinyals et al. (1,028 classes to learn from, 172 to choose on,
423 to test on, once), each class of the training set turned by 90°, 180° and 270° as three more. What differs:
queries share a support set (`data.queries` of each class), an auxiliary loss pulls a query's vector towards the mean
vector of its class and away from those of all other classes in the batch (`model.compare`), and a row has `--budget`
minutes (180) of two cores instead of days, over which the learning rate falls to 0 (cosine); `--clock processor` counts
minutes of processor time. A call takes at most `--minutes` (100, by the clock on the wall) and resumes where the call
before ended; metrics.jsonl and timing.jsonl of the run are its log. A finished row is tested on `--episodes` episodes
of the test classes, one query of each class: accuracy with a 95% interval over episodes, beside nearest neighbour in
pixels and in the trained embedding on the same episodes.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from budget import finished
from jumok import figure
from jumok.data.episodes import EpisodeBatch, Episodes
from jumok.run.names import METRICS, TIMING
from jumok.tasks.few_shot.model import FewShotModel, load
from jumok.tasks.few_shot.pictures import store_pictures, stored_classes
from jumok.tasks.few_shot.task import score_episodes
from resuming import training

TEST_SEED = 20_264
NORMAL = 1.96
KEYS = (64, 256, 512)
"""The attention blocks of the paper."""
SPLITS = ("train", "val", "test")
SPENT = {"wall": "training_seconds", "processor": "processor_seconds"}
"""What timing.jsonl says of the time spent, by `train.clock`."""
RECIPE = ("task=few-shot", "data.rotations=true", "train.validate_size=400", "train.validate_every=500",
          "train.save_every=500", "train.max_steps=1000000", "train.ema=0.999", "train.log_every=100")  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A setting of the paper: the keys that make it, and what others reached."""

    name: str
    keys: tuple[str, ...]
    goal: float | None = None
    paper: float | None = None
    again: float | None = None
    """What the public reimplementation reached after up to 32 million episodes."""


def _sized(ways: int, shots: int, episodes: int, *more: str) -> tuple[str, ...]:
    return (f"data.ways={ways}", f"data.shots={shots}", f"data.episodes={episodes}", *more)


def _but(kept: int) -> list[int]:
    return [key if key == kept else 0 for key in KEYS]


_SMALL = _sized(5, 1, 16)
ROWS = {
    row.name: row
    for row in (
        Row("5-way-1-shot", _SMALL, 98.3, 99.07, 98.31),
        Row("5-way-5-shot", _sized(5, 5, 8), 99.2, 99.78, 99.26),
        Row("20-way-1-shot", _sized(20, 1, 6, "data.queries=2"), 93.7, 97.64, 93.75),
        Row("without-convolutions", (*_SMALL, "model.parts=attend")),
        Row("without-attention", (*_SMALL, "model.parts=convolve")),
        # One attention block of the three, at its place among the convolutions, which stay.
        *(Row(f"attention-{key}-alone", (*_SMALL, f"model.keys={_but(key)}")) for key in KEYS),
        Row("without-the-auxiliary-loss", (*_SMALL, "model.compare=0")),
    )
}


@dataclass(frozen=True)
class Result:
    """What a row reached on the test classes, in percent."""

    row: str
    accuracy: float
    interval: float
    attention: float | None
    """None where no block attends."""
    pixels: float
    embedding: float
    validation: float
    training_episodes: int
    minutes: float
    test_episodes: int


def split(data: Path, folder: Path) -> dict[str, Path]:
    """An .npz file for each part of the split of Vinyals et al., written once."""
    places = {part: folder / f"omniglot-{part}.npz" for part in SPLITS}
    if all(place.exists() for place in places.values()):
        return places
    folder.mkdir(parents=True, exist_ok=True)
    with np.load(data, allow_pickle=False) as file:
        images, names, parts = file["images"], file["class_name"], file["vinyals"]
    for part, place in places.items():
        np.savez_compressed(place, images=images[parts == part], class_name=names[parts == part])
    return places


def train(row: Row, places: dict[str, Path], run: Path, minutes: float, more: list[str]) -> bool:
    """Trains a row for so many minutes at most; True if its budget is spent."""
    keys = (*RECIPE, *row.keys, f"data.train={places['train']}", f"data.dev={places['val']}", *more)
    return finished(training(run, keys), minutes)


def nearest(vectors_EID: torch.Tensor, batch: EpisodeBatch) -> torch.Tensor:
    """[E]: the share of queries whose nearest example, by the cosine, has their class, in percent."""
    unit = F.normalize(vectors_EID, dim=-1)
    shots = batch.support_ES.shape[1]
    best_EQ = (unit[:, shots:] @ unit[:, :shots].mT).argmax(-1)
    return 100.0 * (batch.support_ES.gather(1, best_EQ) == batch.answers_EQ).float().mean(1)


@torch.no_grad()
def neighbours(model: FewShotModel, episodes: Episodes, count: int) -> tuple[float, float]:
    """Accuracy of the nearest neighbour in pixels and in the trained embedding, in percent."""
    pixels, embedded = [], []
    for start in range(0, count, 20):
        batch = episodes.batch(range(start, min(count, start + 20)))
        flat = batch.pixels_EIHW.flatten(2).float()
        pixels.append(nearest(flat, batch))
        vectors = model.network.embedding(batch.pixels_EIHW.flatten(0, 1)).unflatten(0, flat.shape[:2])
        embedded.append(nearest(vectors, batch))
    return float(torch.cat(pixels).mean()), float(torch.cat(embedded).mean())


def test(row: Row, run: Path, place: Path, count: int) -> Result:
    """The row on the test classes."""
    model = load(run)
    data = model.config.data
    config = model.config.model_copy(update={"data": data.model_copy(update={"train": str(place), "dev": str(place)})})
    stored = run.with_name(f"{run.name}-test")
    if not stored.exists():
        store_pictures(config, stored)
    episodes = Episodes(stored_classes(stored, "dev"), data.ways, data.shots, 1, TEST_SEED)
    found = score_episodes(model.network, episodes, count, torch.device("cpu"))
    accuracy, interval = float(found["accuracy"].mean()), NORMAL * float(found["accuracy"].std()) / count**0.5
    attention = float(found["attention"].mean()) if "attention" in found else None
    near, embedded = neighbours(model, episodes, count)
    points = curve(run)
    best = max((point["accuracy"] for point in points), default=0.0)
    last = points[-1] if points else {"episodes": 0, "minutes": 0.0}
    return Result(row.name, accuracy, interval, attention, near, embedded, best,
                  int(last["episodes"]), last["minutes"], count)  # fmt: skip


def curve(run: Path) -> list[dict[str, float]]:
    """Each validation of a run: step, training episodes (support sets), minutes and accuracy."""
    lines = [json.loads(line) for line in (run / METRICS).read_text().splitlines()]
    config = load(run).config
    seconds = _seconds(run / TIMING, SPENT[config.train.clock])
    points = []
    for line in lines:
        if "valid_accuracy" in line:
            at = max((step for step in seconds if step <= line["step"]), default=None)
            minutes = 0.0 if at is None else seconds[at] / 60
            points.append({"step": line["step"], "episodes": line["step"] * config.data.episodes,
                           "minutes": minutes, "accuracy": line["valid_accuracy"]})  # fmt: skip
    return points


def _seconds(path: Path, key: str) -> dict[int, float]:
    """Seconds up to each step, all parts together; each part of a run counts from 0."""
    before, last, found = 0.0, 0.0, dict[int, float]()
    for line in path.read_text().splitlines() if path.exists() else ():
        event = json.loads(line)
        seconds = float(event[key])
        if seconds < last:
            before += last
        last = seconds
        found[int(event["step"])] = before + seconds
    return found


def draw(out: Path) -> None:
    """Accuracy against episodes and against minutes, for every row that has begun."""
    with figure.drawing():
        page = figure.blank(9, 3.6)
        for number, (key, name) in enumerate((("episodes", "training episodes"), ("minutes", "minutes"))):
            axes = page.add_subplot(1, 2, number + 1)
            axes.set_xlabel(name)
            axes.set_ylabel("validation accuracy %")
            for colour, row in zip(figure.PALETTE * 2, ROWS.values(), strict=False):
                if (out / row.name / METRICS).exists():
                    points = curve(out / row.name)
                    axes.plot([p[key] for p in points], [p["accuracy"] for p in points], color=colour, label=row.name)
            axes.set_ylim(bottom=80)
            axes.legend(fontsize=7)
        page.tight_layout()
    figure.save(page, out / "curves.svg")


def table(out: Path) -> str:
    """The finished rows as Markdown."""
    lines = ["| row | test accuracy | goal | paper | reimplementation | nearest in pixels | in the embedding "
             "| attention on the right class | episodes | minutes |", "|---|" + "---:|" * 9]  # fmt: skip
    for row in ROWS.values():
        path = out / f"{row.name}.json"
        if path.exists():
            r = Result(**json.loads(path.read_text()))
            lines.append(f"| {row.name} | {r.accuracy:.2f} ± {r.interval:.2f} | {row.goal or ''} | {row.paper or ''} "
                         f"| {row.again or ''} | {r.pixels:.1f} | {r.embedding:.1f} "
                         f"| {'none' if r.attention is None else f'{r.attention:.1f}'} "
                         f"| {r.training_episodes:,} | {r.minutes:.0f} |")  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    """Trains, tests and prints rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="omniglot28.npz")
    parser.add_argument("--out", type=Path, required=True, help="folder for runs and results")
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--minutes", type=float, default=100, help="longest part")
    parser.add_argument("--budget", type=float, default=180, help="minutes of a row, all parts together")
    parser.add_argument("--clock", choices=list(SPENT), default="wall", help="what the minutes of a row count")
    parser.add_argument("--episodes", type=int, default=2000, help="test episodes")
    parser.add_argument("--set", nargs="*", default=[], help="further keys, as for `jumok train`")
    parser.add_argument("--page", action="store_true", help="only table and curves of what is there")
    asked = parser.parse_args()
    if not asked.page:
        places = split(asked.data, asked.out)
        for row in map(ROWS.__getitem__, asked.rows):
            done = asked.out / f"{row.name}.json"
            if done.exists():
                continue
            limits = [f"train.max_minutes={asked.budget}", f"train.clock={asked.clock}"]
            if train(row, places, asked.out / row.name, asked.minutes, limits + asked.set):
                result = test(row, asked.out / row.name, places["test"], asked.episodes)
                done.write_text(json.dumps(asdict(result), indent=2))
    draw(asked.out)
    print(table(asked.out))


if __name__ == "__main__":
    main()
