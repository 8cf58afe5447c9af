"""Loaded models: the weights of a run at one step, kept while they are used."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from jumok import tasks
from jumok.asgi.cancelling import check_wanted
from jumok.decoding.run import Run, load_run
from jumok.errors import RunError
from jumok.inspect.inspector import Found, Inspector
from jumok.inspect.sentence import Sentence, Subject
from jumok.inspect.what_if import Plan
from jumok.run.folder import read_config
from jumok.run.integrity import run_hash
from jumok.run.names import WEIGHTS, weights_of_step
from jumok.run.status import status_of
from jumok.studio.payload import MAX_ARTICLE_WORDS, MAX_TARGET_TOKENS, MAX_WORDS, RunRef
from jumok.studio.pictures import Pictures
from jumok.studio.problems import RefusedError
from jumok.studio.runs import NamedRun, check_present, stamp_of
from jumok.text.slots import beside
from jumok.text.tokenizer import Tokenizer

KEPT = 12
Model = TypeVar("Model")
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class OpenedModel(Generic[Model]):
    """The model of a run at one step, as its task opens it (`jumok.load`)."""

    named: NamedRun
    model: Model
    hash: str
    step: int | None

    @property
    def ref(self) -> RunRef:
        """How answers name these weights."""
        return RunRef(id=self.named.id, name=self.named.name, hash=self.hash, step=self.step)


@dataclass(frozen=True)
class Session:
    """A run's model at one step, with what is asked of it again and again."""

    named: NamedRun
    run: Run
    step: int | None
    pictures: Pictures = field(default_factory=Pictures)
    """Where a picture that a request names is found."""

    @property
    def ref(self) -> RunRef:
        """How answers name these weights."""
        return RunRef(id=self.named.id, name=self.named.name, hash=self.run.hash, step=self.step)

    @property
    def reads_pictures(self) -> bool:
        """Whether the model reads pictures instead of text."""
        return self.run.config.model.frontend.reads == "pictures"

    @property
    def most_words(self) -> int:
        """How many words of a source are read: more of a text to be summarised than of a sentence."""
        return MAX_ARTICLE_WORDS if self.run.config.task == "summarisation" else MAX_WORDS

    @cached_property
    def inspector(self) -> Inspector:
        """What answers questions about this model; it encodes a sentence once, also for later requests."""
        return Inspector(self.run, between=check_wanted)

    def tokenizer_about(self, subject: Subject) -> Tokenizer:
        """What reads and writes targets about a subject: slots are its unknown words (`text.slots`)."""
        return beside(self.run.target_tokenizer, subject.text if isinstance(subject, Sentence) else "")

    def search(self, plan: Plan, beam: int) -> Found:
        """The best hypotheses under a plan, no longer than the studio shows."""
        return self.inspector.search(plan, beam, most=MAX_TARGET_TOKENS)


def weights_path(run: NamedRun, step: int | None) -> Path:
    """The file of a run's best weights (None), or of those that were kept of a step."""
    check_present(run)
    path = run.folder / WEIGHTS if step is None else weights_of_step(run.folder, step)
    if path is None:
        raise RefusedError(404, "unknown_step", f"The run '{run.id}' has no stored weights of step {step}.")
    return path


def no_weights(run: NamedRun) -> RefusedError:
    """409: there is a folder but no weights in it, because they are still to come or because they were removed."""
    if status_of(run.folder) == "running":
        return RefusedError(409, "not_ready", f"The run '{run.id}' has no weights yet; wait until the first are saved.")
    message = f"The run '{run.id}' has no weights: {WEIGHTS} is missing from its folder; train it or put the file back."
    return RefusedError(409, "not_ready", message)


class Sessions:
    """The models that were asked for last. Weights that changed on disk are read again."""

    def __init__(self, kept: int = KEPT, load: Callable[..., Run] = load_run, pictures: Pictures | None = None) -> None:
        self._kept, self._load, self._pictures = kept, load, pictures or Pictures()
        self._loaded: OrderedDict[tuple[str, int | None], tuple[object, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, run: NamedRun, step: int | None = None) -> Session:
        """The model of a run that writes text, at an earlier step if one is named."""

        def load(weights: Path | None) -> Session:
            return Session(run, self._load(run.folder, weights=weights), step, self._pictures)

        return self._opened(run, step, load, Session)

    def open_model(self, run: NamedRun, task: str, step: int | None = None) -> OpenedModel[Any]:
        """The model of a run of that task, as `jumok.load` gives it; for an earlier step the task takes `weights`."""

        def load(weights: Path | None) -> OpenedModel[Any]:
            model = tasks.load(run.folder, **({} if weights is None else {"weights": weights}))
            return OpenedModel(run, model, (run_hash(run.folder, weights) or "")[:12], step)

        weights_path(run, step)
        check_task(run, task)
        return self._opened(run, step, load, OpenedModel)

    def _opened(self, run: NamedRun, step: int | None, load: Callable[[Path | None], Kept], kind: type[Kept]) -> Kept:
        """What `load` makes of the weights' file (None: the best), kept for as long as the file stays as it is."""
        path = weights_path(run, step)
        stamp = stamp_of(path)
        if None in stamp:
            raise no_weights(run)
        with self._lock:
            found = self._loaded.get((run.id, step))
            if found is not None and found[0] == stamp and isinstance(found[1], kind):
                self._loaded.move_to_end((run.id, step))
                return found[1]
            try:
                opened = load(None if step is None else path)
            except RunError as error:
                raise RefusedError(409, "not_ready", str(error)) from None
            self._loaded[run.id, step] = (stamp, opened)
            while len(self._loaded) > self._kept:
                self._loaded.popitem(last=False)
            return opened


def check_task(run: NamedRun, task: str) -> None:
    """Raises where a run is of another task than a view is for."""
    found = read_config(run.folder).task
    if found != task:
        raise RefusedError(409, "other_task", f"The run '{run.id}' is of task={found}; this needs one of task={task}.")
