"""What makes the confidences of a run mean what they say: `calibration.json`, which belongs to the run's weights."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from jumok.errors import RunError
from jumok.run import manifest
from jumok.run.integrity import check_file, read_bytes
from jumok.run.names import CALIBRATION

FORMAT = 1


@dataclass(frozen=True)
class Curve:
    """A step function that never falls: `levels[i]` from `starts[i]` on, and `levels[0]` below all of them."""

    starts: tuple[float, ...]
    levels: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise(self.starts)) and all(a <= b for a, b in pairwise(self.levels))
        inside = all(0.0 <= level <= 1.0 for level in self.levels)
        if not self.starts or len(self.starts) != len(self.levels) or not rising or not inside:
            raise ValueError("a curve needs rising starts and levels between 0 and 1")

    def __call__(self, value: float) -> float:
        """The calibrated value."""
        return self.levels[max(0, bisect_right(self.starts, value) - 1)]


@dataclass(frozen=True)
class Calibration:
    """The curves of words and sentences, and what they were fitted to."""

    sha256: str
    """Of weights and config together."""
    word: Curve
    sentence: Curve
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The text, the search, and how far confidences were from the truth before and after."""


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Keeps the calibration with its run; the manifest lists it."""
    tree = {"format": FORMAT, **asdict(calibration)}
    manifest.replace(folder, CALIBRATION, (json.dumps(tree, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))


def read_calibration(folder: Path, sha256: str) -> Calibration | None:
    """The calibration of a run whose weights and config have that hash; None where there is none, and a refusal where
    it was fitted to other weights."""
    path = folder / CALIBRATION
    if not path.is_file():
        return None
    check_file(path)
    found = _parsed(path)
    if found.sha256 != sha256:
        advice = f"fit it again with `jumok run calibrate {folder}`"
        raise RunError(f"{path} was fitted to other weights than the run has now; {advice}.")
    return found


def _parsed(path: Path) -> Calibration:
    try:
        tree = cast("dict[str, Any]", json.loads(read_bytes(path)))
        if tree["format"] != FORMAT:
            raise RunError(f"{path} has format {tree['format']!r}; this version of Jumok reads format {FORMAT}.")
        return Calibration(str(tree["sha256"]), _curve(tree["word"]), _curve(tree["sentence"]), dict(tree["about"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        advice = f"fit it again with `jumok run calibrate {path.parent}`"
        raise RunError(f"{path} is damaged ({error}); {advice}.") from None


def _curve(tree: Any) -> Curve:
    return Curve(tuple(map(float, tree["starts"])), tuple(map(float, tree["levels"])))
