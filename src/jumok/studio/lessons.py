"""The tour: its pages in order, how the models they are played on stand, and the demo's own recipe.

Texts and questions live in the page; here is what must be computed.
"""

import os
from functools import lru_cache
from pathlib import Path

from jumok.data.phrasebook import Example, generate
from jumok.data.phrasebook.well_known import WELL_KNOWN
from jumok.run.status import status_of
from jumok.studio import payload_views as payload
from jumok.studio.jobs import Jobs, Training, run_name
from jumok.studio.lesson_formulas import FORMULAS
from jumok.studio.lesson_models import MODELS, PAIR, SHIPPED, Model, is_shipped, recipe
from jumok.studio.mathml import formula
from jumok.studio.problems import RefusedError
from jumok.studio.runs import Runs

DEMO_STEPS = 1200

# Each page with the models that its picture needs; the page puts them into chapters and in order.
LESSONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bottleneck", ("none", "additive")),
    ("attention", ("none", "additive")),
    ("word-order", ("additive",)),
    ("scores", ("dot", "general", "additive")),
    ("soft-hard-global-local", ("additive", "hard", "local")),
    ("query-key-value", ()),
    ("self-attention", ("transformer",)),
    ("multi-head", ("one-head", "transformer")),
    ("transformer", ("additive", "transformer")),
    # Computed in the page itself.
    ("encoder-decoder", ()),
    ("five-steps", ()),
    ("worked-scores", ()),
    ("gradient-path", ()),
    ("generalise", ()),
    ("scale", ()),
    ("positions", ()),
    ("architecture", ()),
    ("image-attention", ("picture", "picture-ko")),
    ("snail", ("snail",)),
    ("sagan", ()),
    ("copying", ()),
    ("reversed-source", ("none", "reversed")),
    ("teacher-forcing", ("none", "additive")),
    ("backpropagation", ("additive",)),
)
# Lessons whose text speaks of a sentence of its own.
SENTENCES = {
    "word-order": "Two women wrote a book last year.",
    "self-attention": "She is eating a green apple.",
    "teacher-forcing": "Madam, the farmers will play the guitar.",
    "backpropagation": "She is eating a green apple.",
}


@lru_cache(maxsize=1)
def sentences() -> dict[str, Example]:
    """The sentence of each lesson: its own, or a short test sentence whose word order changes on the way."""
    tested = list(generate(PAIR, "test", 400))
    known = {one.source: one for one in [*generate(PAIR, "train", len(WELL_KNOWN)), *tested]}
    crossing = (
        one
        for one in tested
        if 5 <= len(one.source.split()) <= 8 and any(j > l for i, j in one.links for k, l in one.links if i < k)
    )
    return {name: known[SENTENCES[name]] if name in SENTENCES else next(crossing) for name, _ in LESSONS}


def threads() -> int:
    """Threads for training: one core is left to the page."""
    return max(1, (os.cpu_count() or 2) - 1)


class Tour:
    """The lessons with how their models stand; starts the training of those that are missing."""

    def __init__(self, runs: Runs, jobs: Jobs, home: Path) -> None:
        self.runs, self.jobs, self.home = runs, jobs, home

    def own(self, model: str) -> Path:
        """Where a lesson's model is kept that was trained here."""
        return self.home / "lessons" / model

    def folder(self, model: str) -> Path:
        """The run that a lesson is played on: one that was trained here, else the one that came with Jumok."""
        return self.own(model) if status_of(self.own(model)) == "finished" else SHIPPED / model

    def remember(self) -> None:
        """Makes the lessons' models runs of this studio, after those that its user named."""
        for model in MODELS:
            if status_of(self.folder(model)) == "finished":
                self.runs.add(self.folder(model), wanted=run_name("lesson", model))

    def answer(self) -> payload.LessonsAnswer:
        """All lessons and all models."""
        shown = sentences()
        lessons = [
            payload.Lesson(
                id=name,
                models=list(models),
                sentence=shown[name].source,
                target=shown[name].target,
                formulas={part: formula(plain) for part, plain in FORMULAS.get(name, {}).items()},
            )
            for name, models in LESSONS
        ]
        return payload.LessonsAnswer(lessons=lessons, models=[self._model(model) for model in MODELS.values()])

    def _model(self, model: Model) -> payload.LessonModel:
        folder, job = self.folder(model.id), self.jobs.of(self.own(model.id))
        ready = status_of(folder) == "finished"
        run = self.runs.add(folder, wanted=run_name("lesson", model.id)).id if ready else job.run if job else None
        return payload.LessonModel(
            id=model.id,
            title=model.title,
            run=run,
            state="ready" if ready else "training" if job else "missing",
            shipped=ready and is_shipped(folder),
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
        start = None if model.starts_from is None else self.folder(model.starts_from)
        return self.jobs.start("lesson", model.id, self.own(model.id), recipe(model, threads(), start), model.steps)

    def train_demo(self) -> Training:
        """The job that trains the default model on the phrasebook.

        `jumok demo` trains it for a time; here it is a number of steps, so that the page can tell how far it is.
        """
        overrides = [f"train.max_steps={DEMO_STEPS}", "train.validate_every=200", "train.save_every=400",
                     "train.snapshots=100", f"runtime.threads={threads()}"]  # fmt: skip
        return self.jobs.start("demo", "demo", self.home / "demo", overrides, DEMO_STEPS)
