"""How long a request would take, by how long batches like it took lately."""

import time

from jumok.decoding.options import Options

Kind = tuple[str, int, bool, bool, bool]
"""What makes searches differ in time: run, beam, links, attention, required words."""


def kind_of(run: str, options: Options) -> Kind:
    """The kind of a search."""
    return run, options.beam, options.alignment, options.attention, bool(options.require)


class Pace:
    """Seconds per character of each kind of search, in batches large enough to be at their best.

    What was measured is forgotten: a machine that was busy once must not refuse large requests for ever.
    """

    def __init__(self, half_life: float) -> None:
        self._half_life = half_life
        self._rates: dict[Kind, tuple[float, float]] = {}

    def note(self, kind: Kind, characters: int, seconds: float) -> None:
        """A batch took so long."""
        found = seconds / max(1, characters)
        before, _ = self._rates.get(kind, (found, 0.0))
        self._rates[kind] = (before + 0.5 * (found - before), time.monotonic())

    def expected(self, kind: Kind, characters: int) -> float:
        """Seconds of one worker; 0 where nothing is known."""
        rate, at = self._rates.get(kind, (0.0, 0.0))
        return characters * rate * 0.5 ** ((time.monotonic() - at) / self._half_life) if rate else 0.0
