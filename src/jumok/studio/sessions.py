"""Loaded models: the weights of a run at one step, kept while they are used."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from jumok.attention import Attention, MultiHead
from jumok.decoding.jobs import longest_input
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.run import Run, load_run
from jumok.errors import RunError
from jumok.run.names import WEIGHTS
from jumok.run.status import status_of
from jumok.studio.payload import RunRef
from jumok.studio.problems import RefusedError, invalid
from jumok.studio.runs import NamedRun, check_present, stamp_of, weights_of_step
from jumok.text.tokenizer import Tokenizer

KEPT = 12


@dataclass(frozen=True)
class Session:
    """A run's model at one step, with what is asked of it again and again."""

    named: NamedRun
    run: Run
    step: int | None

    @property
    def ref(self) -> RunRef:
        """How answers name these weights."""
        return RunRef(id=self.named.id, name=self.named.name, hash=self.run.hash, step=self.step)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.run.model.device

    @property
    def source(self) -> Tokenizer:
        """The tokenizer of the source side."""
        return self.run.source_tokenizer

    @property
    def target(self) -> Tokenizer:
        """The tokenizer of the target side."""
        return self.run.target_tokenizer

    @property
    def longest_source(self) -> int:
        """How many source tokens the model was trained for."""
        return longest_input(self.run.config, self.run.reach)

    @cached_property
    def maker(self) -> RuleMaker:
        """Rules for searching with this model."""
        return RuleMaker(self.run.config, self.source, self.target, self.run.reach, self.device)

    @cached_property
    def looks(self) -> list[Attention | MultiHead]:
        """The mechanism of each layer that looks at the source; none for a model without attention."""
        return self.run.model.decoder.cross_attentions()

    def layer(self, number: int) -> int:
        """A layer number from 0, of one that may count from the top."""
        if not self.looks:
            raise invalid(f"The run '{self.named.id}' has no attention between the two sides.")
        if not -len(self.looks) <= number < len(self.looks):
            raise RefusedError(
                422, "invalid", f"There is no layer {number}; the decoder has {len(self.looks)}, from 0."
            )
        return number % len(self.looks)


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

    def __init__(self, kept: int = KEPT, load: Callable[..., Run] = load_run) -> None:
        self._kept, self._load = kept, load
        self._loaded: OrderedDict[tuple[str, int | None], tuple[object, Session]] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, run: NamedRun, step: int | None = None) -> Session:
        """The model of a run, at an earlier step if one is named."""
        path = weights_path(run, step)
        stamp = stamp_of(path)
        if None in stamp:
            raise no_weights(run)
        with self._lock:
            found = self._loaded.get((run.id, step))
            if found is not None and found[0] == stamp:
                self._loaded.move_to_end((run.id, step))
                return found[1]
            try:
                loaded = self._load(run.folder, weights=None if step is None else path)
            except RunError as error:
                raise RefusedError(409, "not_ready", str(error)) from None
            session = Session(run, loaded, step)
            self._loaded[run.id, step] = (stamp, session)
            while len(self._loaded) > self._kept:
                self._loaded.popitem(last=False)
            return session
