"""What an engine promises to the translator: what it can do, and a search over what was given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from jumok.arguments import MOST_BEAM
from jumok.decoding.features import Feature
from jumok.decoding.jobs import Job
from jumok.decoding.opened import OpenedRun
from jumok.decoding.options import Options
from jumok.decoding.outcome import BeamTree, Hypothesis

if TYPE_CHECKING:
    from jumok.decoding.run import Run

Read = Callable[[int, Job, Sequence[Hypothesis], BeamTree | None], None]
"""Takes what was found for a line: its number, its job, the hypotheses with the best one first, and the tree."""


@dataclass(frozen=True)
class Abilities:
    """What an engine can do. An option that needs anything else never reaches it."""

    features: frozenset[Feature]
    widest_beam: int = MOST_BEAM

    def cover(self, options: Options) -> bool:
        """Whether the engine can do everything that the options need."""
        return options.needs() <= self.features and options.beam <= self.widest_beam


class Engine(Protocol):
    """Translates lines with a trained model."""

    @property
    def name(self) -> str:
        """As `--engine` names it."""
        ...

    @property
    def abilities(self) -> Abilities:
        """What it can do."""
        ...

    @property
    def runs(self) -> "Sequence[OpenedRun]":
        """The run that writes; in an ensemble, the other members after it."""
        ...

    @property
    def visible(self) -> "Run | None":
        """The run with its model in torch, for a closer look at a translation; None where there is no single one."""
        ...

    def search(self, inputs: Sequence[Any], options: Options, read: Read) -> None:
        """Calls `read` with what was found for each input (a line, or a picture for an engine that reads such), in any
        order and from any thread.

        Lines without words are left out. The options need nothing beyond `abilities`.
        """
        ...
