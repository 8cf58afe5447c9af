"""What goes to a worker process and comes back."""

from dataclasses import dataclass, field
from typing import NamedTuple

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation


@dataclass(frozen=True)
class Batch:
    """Sentences of one run that share their options; `number` tells answers apart."""

    number: int
    run: str
    lines: tuple[str, ...]
    options: Options
    whole: bool = True
    """Whether tokens, probabilities and links are wanted beside the words."""


class Plain(NamedTuple):
    """A translation of which only the words are wanted: a whole one takes several times as long to send."""

    score: float
    hypotheses: tuple[str, ...]
    """Words between single spaces, the best hypothesis first."""


@dataclass(frozen=True)
class Ready:
    """A worker has loaded its models: the version of each run, and which engine translates."""

    versions: dict[str, str]
    engines: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Trouble:
    """Why a line has no translation; `ours` where it is the server's fault and not the text's."""

    message: str
    ours: bool = False
    later: bool = False
    """It may have one once the run is loaded again."""


@dataclass(frozen=True)
class Done:
    """What became of each line of a batch, in their order."""

    number: int
    results: list[Translation | Plain | Trouble]


@dataclass(frozen=True)
class Failed:
    """A worker could not load its models."""

    problem: str
