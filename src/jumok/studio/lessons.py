"""The tour: its pages in order, the tiny models they are played on, and the demo's own recipe.

Texts and questions live in the page; here is what must be computed.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jumok.data.phrasebook import Example, generate
from jumok.run.status import status_of
from jumok.studio import payload_views as payload
from jumok.studio.jobs import Jobs, Training, run_name
from jumok.studio.payload import Both
from jumok.studio.problems import RefusedError
from jumok.studio.runs import Runs

PAIR = "en-ko"
STEPS = 700
DEMO_STEPS = 1200
# Small enough for a minute or two on a laptop, large enough that the alignment forms.
_TINY = (
    f"data.phrasebook={PAIR}",
    "data.phrasebook_size=4000",
    "data.held_out=100",
    "model.embedding=64",
    "model.encoder.size=128",
    "model.decoder.size=128",
    f"train.max_steps={STEPS}",
    "train.batch_tokens=1024",
    "train.learning_rate=0.006",
    "train.warmup=60",
    "train.validate_every=350",
    "train.validate_size=100",
    "train.save_every=350",
    "train.snapshots=50",
    "train.log_every=10",
    "train.pictures=0",
)
_TRANSFORMER = (
    "model.preset=transformer",
    "model.embedding=128",
    "model.encoder.ff=256",
    "model.decoder.ff=256",
    "train.learning_rate=0.003",
    "train.schedule=cosine",
)


@dataclass(frozen=True)
class Model:
    """A model of the tour."""

    id: str
    title: Both
    overrides: tuple[str, ...]
    seconds: int


MODELS = {
    model.id: model
    for model in (
        Model("none", Both(en="no attention", ko="어텐션 없음"), ("model.preset=seq2seq",), 70),
        Model("additive", Both(en="additive (Bahdanau)", ko="additive (Bahdanau)"), ("model.preset=rnnsearch",), 90),
        Model(
            "dot", Both(en="dot product", ko="내적"), ("model.preset=luong", "model.decoder.attention=luong-dot"), 90
        ),
        Model("general", Both(en="general (Luong)", ko="general (Luong)"), ("model.preset=luong",), 90),
        Model(
            "local",
            Both(en="local, predictive", ko="로컬(예측 방식)"),
            ("model.preset=luong", "model.decoder.attention=luong-local-p", "model.decoder.attention_options.D=3"),
            100,
        ),
        Model("hard", Both(en="hard", ko="하드"), ("model.preset=rnnsearch", "model.decoder.attention=hard"), 90),
        Model(
            "one-head",
            Both(en="Transformer, one layer and head", ko="트랜스포머(1층, 헤드 1개)"),
            (
                *_TRANSFORMER,
                *(f"model.{side}.{key}=1" for side in ("encoder", "decoder") for key in ("layers", "heads")),
            ),
            60,
        ),
        Model(
            "transformer",
            Both(en="Transformer, two layers of four heads", ko="트랜스포머(2층, 헤드 4개씩)"),
            (
                *_TRANSFORMER,
                *(f"model.{side}.layers=2" for side in ("encoder", "decoder")),
                *(f"model.{side}.heads=4" for side in ("encoder", "decoder")),
            ),
            90,
        ),
    )
}

LESSONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("bottleneck", "bottleneck", ("none",)),
    ("attention", "attention", ("none", "additive")),
    ("scores", "scores", ("dot", "general", "additive")),
    ("soft-hard-global-local", "softness", ("additive", "hard", "local")),
    ("query-key-value", "kernel", ()),
    ("self-attention", "self", ("one-head",)),
    ("multi-head", "heads", ("one-head", "transformer")),
    ("transformer", "transformer", ("additive", "transformer")),
)


@lru_cache(maxsize=1)
def sentences() -> list[Example]:
    """Short test sentences of the phrasebook whose word order changes on the way, one for each lesson."""
    crossing = [
        one
        for one in generate(PAIR, "test", 400)
        if 5 <= len(one.source.split()) <= 8 and any(j > l for i, j in one.links for k, l in one.links if i < k)
    ]
    return crossing[: len(LESSONS)]


def threads() -> int:
    """Threads for training: one core is left to the page."""
    return max(1, (os.cpu_count() or 2) - 1)


class Tour:
    """The lessons with how their models stand; starts the training of those that are missing."""

    def __init__(self, runs: Runs, jobs: Jobs, home: Path) -> None:
        self.runs, self.jobs, self.home = runs, jobs, home

    def folder(self, model: str) -> Path:
        """Where a lesson's model is kept."""
        return self.home / "lessons" / model

    def remember(self) -> None:
        """Makes models that were trained before runs of this studio, after those that its user named."""
        for model in MODELS:
            if status_of(self.folder(model)) == "finished":
                self.runs.add(self.folder(model), wanted=run_name("lesson", model))

    def answer(self) -> payload.LessonsAnswer:
        """All lessons and all models."""
        shown = sentences()
        lessons = [
            payload.Lesson(
                id=name,
                view=view,  # type: ignore[arg-type]
                models=list(models),
                sentence=shown[number].source,
                target=shown[number].target,
            )
            for number, (name, view, models) in enumerate(LESSONS)
        ]
        return payload.LessonsAnswer(lessons=lessons, models=[self._model(model) for model in MODELS.values()])

    def _model(self, model: Model) -> payload.LessonModel:
        folder = self.folder(model.id)
        job, known = self.jobs.of(folder), self.runs.find(folder)
        ready = known is not None and status_of(folder) == "finished"
        run = known.id if known and ready else job.run if job else None
        return payload.LessonModel(
            id=model.id,
            title=model.title,
            run=run,
            state="ready" if ready else "training" if job else "missing",
            job=job.id if job else None,
            seconds=model.seconds,
        )

    def train(self, request: payload.JobRequest) -> Training:
        """The job that trains the demo or a lesson's model."""
        if request.kind == "demo":
            return self.train_demo()
        if request.model not in MODELS:
            known = ", ".join(MODELS)
            raise RefusedError(404, "unknown_model", f"The lessons have no model '{request.model}'; they have {known}.")
        model = MODELS[request.model]
        overrides = [*_TINY, f"runtime.threads={threads()}", *model.overrides]
        return self.jobs.start("lesson", model.id, self.folder(model.id), overrides, STEPS)

    def train_demo(self) -> Training:
        """The job that trains the default model on the phrasebook.

        `jumok demo` trains it for a time; here it is a number of steps, so that the page can tell how far it is.
        """
        overrides = [f"train.max_steps={DEMO_STEPS}", "train.validate_every=200", "train.save_every=400",
                     "train.snapshots=100", f"runtime.threads={threads()}"]  # fmt: skip
        return self.jobs.start("demo", "demo", self.home / "demo", overrides, DEMO_STEPS)
