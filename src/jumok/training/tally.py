"""Named sums with the number of what each is averaged over: how losses travel from a batch to a line of metrics."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Σ value and Σ count of each name; a mean is their quotient."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of_names(cls, names: Iterable[str]) -> "Tally":
        """Zeros under these names."""
        names = list(names)
        return cls(dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0))

    def add(self, sums: Mapping[str, float], counts: Mapping[str, float]) -> None:
        """Adds values, each with its count."""
        for name, value in sums.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0.0) + counts[name]

    def copy(self) -> "Tally":
        """The same numbers, to be added to."""
        return self.prefixed("")

    def values(self) -> list[float]:
        """Sums and counts in the order of the names, to be added up over processes."""
        return [*self.sums.values(), *self.counts.values()]

    def with_values(self, values: list[float]) -> "Tally":
        """The same names with other numbers, as `values` lists them."""
        half = len(self.sums)
        return Tally(
            dict(zip(self.sums, values[:half], strict=True)), dict(zip(self.counts, values[half:], strict=True))
        )

    def prefixed(self, prefix: str) -> "Tally":
        """Every name with the prefix before it."""
        return Tally(
            {prefix + name: value for name, value in self.sums.items()},
            {prefix + name: value for name, value in self.counts.items()},
        )

    def means(self, names: Iterable[str] | None = None) -> dict[str, float]:
        """The mean under each of the names (all of them, if not given); of nothing it is 0."""
        wanted = self.sums if names is None else [name for name in names if name in self.sums]
        return {name: self.sums[name] / max(1, self.counts[name]) for name in wanted}
