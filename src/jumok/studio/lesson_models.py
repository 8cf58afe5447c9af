"""The small models that lessons are played on: how each is trained, and where the trained ones are shipped.

`python -m jumok.studio.lesson_models` trains those that are missing from the package and stores them there in half
precision. One thread and a fixed seed give the same weights again on the same machine.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from jumok.studio.payload import Both
from jumok.tasks.compact import compact

PAIR = "en-ko"
STEPS = 1500
SHIPPED = Path(__file__).with_name("models")
# Small enough to be shipped and to be trained again in minutes, large enough that the alignment forms.
RECIPE = (
    f"data.phrasebook={PAIR}",
    "data.phrasebook_size=20000",
    "data.held_out=200",
    "model.embedding=64",
    "model.encoder.size=96",
    "model.decoder.size=96",
    f"train.max_steps={STEPS}",
    "train.batch_tokens=1536",
    "train.learning_rate=0.006",
    "train.warmup=100",
    "train.validate_every=500",
    "train.validate_size=100",
    "train.save_every=500",
    "train.snapshots=100",
    "train.log_every=50",
    "train.pictures=0",
)
# Named pictures: a network of the paper's kind, a tenth of its size in each direction.
FEW_SHOT = (
    "task=few-shot",
    "data.classes=1600",
    "data.held_out=100",
    "data.queries=2",
    "model.embedding=32",
    "model.image_filters=24",
    "model.filters=24",
    "model.keys=[32,64]",
    "train.max_steps=800",
    "train.learning_rate=0.003",
    "train.validate_every=200",
    "train.validate_size=300",
    "train.save_every=400",
    "train.log_every=50",
    "train.pictures=0",
)
# Captions of drawn scenes: a decoder of this size still fits into a megabyte and looks at what it names.
CAPTIONS = (
    "task=captioning",
    "model.embedding=48",
    "model.decoder.size=144",
    "train.max_steps=3000",
    "train.batch_tokens=512",
    "train.learning_rate=0.003",
    "train.warmup=200",
    "train.schedule=cosine",
    "train.doubly_stochastic=0",
    "train.label_smoothing=0",
    "train.validate_every=250",
    "train.validate_size=200",
    "train.save_every=1000",
    "train.pictures=0",
)
_LUONG = ("model.preset=luong", "model.embedding=80", "model.encoder.size=80", "model.decoder.size=80")
_TRANSFORMER = (
    "model.preset=transformer",
    *(f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("size=64", "ff=128", "positions=rotary")),
    "train.learning_rate=0.004",
    "train.warmup=200",
    "train.schedule=cosine",
)


@dataclass(frozen=True)
class Model:
    """A model of the tour: what sets it apart from the others, and about how long it trains on two cores."""

    id: str
    title: Both
    overrides: tuple[str, ...]
    seconds: int
    starts_from: str | None = None
    """The model whose weights it starts from."""
    base: tuple[str, ...] = RECIPE
    """What it has in common with others of its task."""

    @property
    def steps(self) -> int:
        """The steps of its training."""
        return next(int(key.partition("=")[2]) for key in self.base if key.startswith("train.max_steps="))


def _same(title: str) -> Both:
    return Both(en=title, ko=title)


def _stack(layers: int, heads: int) -> tuple[str, ...]:
    sides = ("encoder", "decoder")
    return tuple(f"model.{side}.{key}" for side in sides for key in (f"layers={layers}", f"heads={heads}"))


def _captions(name: str, language: str, title: Both) -> Model:
    return Model(name, title, (f"data.picturebook={language}",), 260, base=CAPTIONS)


MODELS = {
    model.id: model
    for model in (
        Model("additive", _same("additive (Bahdanau)"), ("model.preset=rnnsearch",), 90),
        Model("none", Both(en="no attention", ko="어텐션 없음"), ("model.preset=seq2seq",), 70),
        Model(
            "reversed",
            Both(en="no attention, source reversed", ko="어텐션 없음, 원문 뒤집기"),
            ("model.preset=seq2seq", "model.reverse_source=true"),
            70,
        ),
        Model("dot", Both(en="dot product", ko="내적"), (*_LUONG, "model.decoder.attention=luong-dot"), 90),
        Model("general", _same("general (Luong)"), _LUONG, 90),
        Model(
            "local",
            Both(en="local, predictive", ko="로컬(예측 방식)"),
            (*_LUONG, "model.decoder.attention=luong-local-p", "model.decoder.attention_options.D=3"),
            100,
        ),
        Model(
            "hard",
            Both(en="hard", ko="하드"),
            ("model.preset=rnnsearch", "model.decoder.attention=hard", "train.learning_rate=0.002"),
            100,
            starts_from="additive",
        ),
        Model(
            "one-head",
            Both(en="Transformer, one layer and head", ko="트랜스포머(1층, 헤드 1개)"),
            (*_TRANSFORMER, *_stack(1, 1)),
            60,
        ),
        Model(
            "transformer",
            Both(en="Transformer, two layers of four heads", ko="트랜스포머(2층, 헤드 4개씩)"),
            (*_TRANSFORMER, *_stack(2, 4)),
            90,
        ),
        _captions("picture", "en", Both(en="captions in English", ko="영어 설명문")),
        _captions("picture-ko", "ko", Both(en="captions in Korean", ko="한국어 설명문")),
        Model("snail", Both(en="SNAIL, two attention blocks", ko="SNAIL(어텐션 블록 2개)"), (), 120, base=FEW_SHOT),
    )
}


def recipe(model: Model, threads: int, start: Path | None) -> list[str]:
    """The overrides that train a model; `start` is the run it starts from, where it starts from one."""
    own = [*model.base, *model.overrides, f"runtime.threads={threads}"]
    return own if start is None else [*own, f"train.init_from={start}"]


def is_shipped(folder: Path) -> bool:
    """Whether a run folder is one of the package's own."""
    return folder.parent == SHIPPED


def make(names: Iterable[str], place: Path = SHIPPED) -> None:
    """Trains models one after the other and stores each in half precision; those that exist are left as they are."""
    for model in map(MODELS.__getitem__, names):
        if not (place / model.id).exists():
            with TemporaryDirectory(prefix="jumok-lesson-") as aside:
                compact(_trained(model, Path(aside) / "run", place), place / model.id)


def _trained(model: Model, out: Path, place: Path) -> Path:
    # Inside the models' folder, so that a config names the run it starts from without a path.
    start = None if model.starts_from is None else Path(model.starts_from)
    command = [sys.executable, "-m", "jumok", "train", *recipe(model, 1, start), "--out", str(out)]
    subprocess.run(command, cwd=place, check=True, env={**os.environ, "NO_COLOR": "1"})
    return out


if __name__ == "__main__":
    SHIPPED.mkdir(exist_ok=True)
    make(sys.argv[1:] or MODELS)
