"""What goes to a worker process and comes back."""

from dataclasses import dataclass, field

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation


@dataclass(frozen=True)
class Batch:
    """Sentences of one run that share their options; `number` tells answers apart."""

    number: int
    run: str
    lines: tuple[str, ...]
    options: Options


@dataclass(frozen=True)
class Ready:
    """A worker has loaded its models: the version of each run, and which engine translates."""

    versions: dict[str, str]
    engines: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Done:
    """The translations of a batch, in the order of its lines; or the sentence that says why there are none."""

    number: int
    translations: list[Translation]
    problem: str | None = None


@dataclass(frozen=True)
class Failed:
    """A worker could not load its models."""

    problem: str
