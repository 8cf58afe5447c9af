"""What `jumok evaluate` asks of a task, and what it gets to print."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from jumok.evaluation.report import Table


@dataclass(frozen=True)
class Asked:
    """What is to be measured, and how."""

    names: tuple[str, ...]
    """What each run is called in tables."""
    source: Path | None = None
    """A file to be measured on; the task's own test set if not given."""
    references: list[Path] = field(default_factory=list)
    size: int = 500
    beam: int = 5
    samples: int = 1000
    tokenize: str | None = None
    device: str = "cpu"


class Measured(Protocol):
    """Scores of one run or several."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        ...

    def tables(self) -> "list[Table]":
        """What a person reads."""
        ...
