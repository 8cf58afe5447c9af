"""How far generated pictures are from real ones, in any space of features: distances, precision, recall, memory.

    Fréchet     |μ_r − μ_g|² + tr(Σ_r + Σ_g − 2 (Σ_r Σ_g)^½)                      of Gaussians fitted to both
    KID         the unbiased MMD² of the kernel (xᵀy / F + 1)³                     (Bińkowski et al. 2018)
    1-NN        how often the nearest neighbour of a picture is of its own kind: 50% if nobody can tell, 100% if all can
    precision   share of generated pictures inside the manifold of real ones       (Kynkäänniemi et al. 2019)
    recall      share of real pictures inside the manifold of generated ones

The manifold of a set is the union of balls around its points, each as far as the point's k-th nearest neighbour. What a
number means depends on the features and on how many pictures there were: compare it with the same number for two sets
of real pictures (`against_real`), never with numbers from elsewhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from jumok.errors import DataError

BLOCK = 1024
NEIGHBOURS = 5
DRAWS = 200
LEVEL = 95.0
KID_BLOCK = 250


@dataclass(frozen=True)
class Measured:
    """A number with its bootstrap interval of 95%."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """As JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


def frechet_distance(mean_a: np.ndarray, cov_a: np.ndarray, mean_b: np.ndarray, cov_b: np.ndarray) -> float:
    """The Fréchet (2-Wasserstein, squared) distance of two Gaussians."""
    root_a = _root(cov_a)
    # tr (Σa Σb)^½ = tr (Σa^½ Σb Σa^½)^½, whose argument is symmetric: no complex root is ever taken.
    between = np.linalg.eigvalsh(root_a @ cov_b @ root_a)
    trace = np.sqrt(np.clip(between, 0, None)).sum()
    apart = mean_a - mean_b
    return float(max(0.0, apart @ apart + np.trace(cov_a) + np.trace(cov_b) - 2 * trace))


def _root(cov: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(cov)
    return (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T


def frechet(real_NF: np.ndarray, drawn_MF: np.ndarray) -> float:
    """The Fréchet distance of Gaussians fitted to both sets."""
    parts = [(rows.mean(0), np.atleast_2d(np.cov(rows, rowvar=False))) for rows in _checked(real_NF, drawn_MF)]
    return frechet_distance(*parts[0], *parts[1])


def kid(real_NF: np.ndarray, drawn_MF: np.ndarray) -> float:
    """The kernel distance: the unbiased estimate of MMD², near 0 (and below it as often as above) for equal sources."""
    real, drawn = _checked(real_NF, drawn_MF)
    within = [_off_diagonal_mean(_kernel(rows, rows)) for rows in (real, drawn)]
    return float(within[0] + within[1] - 2 * _kernel(real, drawn).mean())


def _kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a @ b.T / a.shape[1] + 1) ** 3


def _off_diagonal_mean(square: np.ndarray) -> float:
    count = len(square)
    return float((square.sum() - np.trace(square)) / (count * (count - 1)))


def same_kind(real_NF: np.ndarray, drawn_MF: np.ndarray) -> np.ndarray:
    """Of each picture of both sets, whether its nearest neighbour among all others is of its own set."""
    real, drawn = _checked(real_NF, drawn_MF)
    rows = np.concatenate([real, drawn])
    kinds = np.arange(len(rows)) < len(real)
    nearest = np.concatenate([found.argmin(1) for _, found in _distances(rows, rows, own=True)])
    return kinds[nearest] == kinds


def inside(points_MF: np.ndarray, manifold_NF: np.ndarray, neighbours: int = NEIGHBOURS) -> np.ndarray:
    """Of each point, whether it lies in the manifold of a set: within the ball of at least one of its points."""
    points, manifold = _checked(points_MF, manifold_NF)
    if len(manifold) <= neighbours:
        raise DataError(f"{neighbours} neighbours need more than {len(manifold)} pictures.")
    radius = np.concatenate(
        [np.partition(found, neighbours - 1)[:, neighbours - 1] for _, found in _distances(manifold, manifold, True)]
    )
    return np.concatenate([(found <= radius).any(1) for _, found in _distances(points, manifold)])


def nearest(points_MF: np.ndarray, among_NF: np.ndarray, count: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """[M, count] each: which rows of `among` are nearest to each point, the nearest first, and how far they are."""
    points, among = _checked(points_MF, among_NF, least=1)
    places, far = [], []
    for _, found in _distances(points, among):
        first = np.argsort(found, axis=1, kind="stable")[:, :count]
        places.append(first)
        far.append(np.sqrt(np.take_along_axis(found, first, 1)))
    return np.concatenate(places), np.concatenate(far)


def _distances(points: np.ndarray, among: np.ndarray, own: bool = False) -> Iterator[tuple[int, np.ndarray]]:
    """Squared distances in blocks of rows; with `own` a point is infinitely far from itself."""
    lengths = (among**2).sum(1)
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        found = np.clip((block**2).sum(1)[:, None] + lengths - 2 * block @ among.T, 0, None)
        if own:
            found[np.arange(len(block)), start + np.arange(len(block))] = np.inf
        yield start, found


def _checked(*sets: np.ndarray, least: int = 2) -> list[np.ndarray]:
    for rows in sets:
        if rows.ndim != 2 or len(rows) < least or rows.shape[1] != sets[0].shape[1]:
            shapes = [one.shape for one in sets]
            raise DataError(f"Two sets of features [N, F] are compared, N at least {least}; got {shapes}.")
        if not np.isfinite(rows).all():
            raise DataError("A feature is not finite; the pictures or the network that reads them are broken.")
    return [np.asarray(rows, dtype=np.float64) for rows in sets]


def compare(
    real_NF: np.ndarray, drawn_MF: np.ndarray, *, neighbours: int = NEIGHBOURS, draws: int = DRAWS, seed: int = 0
) -> dict[str, Measured]:
    """All measures of generated pictures against real ones, each with its interval."""
    random = np.random.Generator(np.random.PCG64(seed))
    kinds = same_kind(real_NF, drawn_MF)
    precise = inside(drawn_MF, real_NF, neighbours)
    recalled = inside(real_NF, drawn_MF, neighbours)
    return {
        "frechet": _resampled(frechet, real_NF, drawn_MF, random, draws),
        "kid": _in_blocks(kid, real_NF, drawn_MF, random, draws),
        "one_nn": _of_hits(kinds, random, draws),
        "precision": _of_hits(precise, random, draws),
        "recall": _of_hits(recalled, random, draws),
    }


def against_real(
    real_NF: np.ndarray, other_NF: np.ndarray, *, neighbours: int = NEIGHBOURS, draws: int = DRAWS, seed: int = 0
) -> dict[str, Measured]:
    """The same measures for other real pictures in place of generated ones: the best that a generator can reach."""
    return compare(real_NF, other_NF, neighbours=neighbours, draws=draws, seed=seed)


Measure = Callable[[np.ndarray, np.ndarray], float]


def _resampled(
    measure: Measure, real: np.ndarray, drawn: np.ndarray, random: np.random.Generator, draws: int
) -> Measured:
    """The measure; the interval is that of its bootstrap replicates, moved to where the measure is.

    A distance of resampled sets is larger than that of the sets themselves, because rows occur twice: only the spread
    of the replicates is used.
    """
    value = measure(real, drawn)
    again = [measure(_rows(real, random), _rows(drawn, random)) for _ in range(draws)]
    low, high = _percentiles(np.asarray(again) - np.mean(again))
    return Measured(value, max(0.0, value + low), value + high)


def _in_blocks(
    measure: Measure, real: np.ndarray, drawn: np.ndarray, random: np.random.Generator, draws: int
) -> Measured:
    """The mean of the measure over disjoint blocks, resampled: an unbiased estimate stays one."""
    size = max(2, min(KID_BLOCK, len(real) // 2, len(drawn) // 2))
    starts = range(0, min(len(real), len(drawn)) - size + 1, size)
    mine, theirs = random.permutation(len(real)), random.permutation(len(drawn))
    values = np.asarray([measure(real[mine[s : s + size]], drawn[theirs[s : s + size]]) for s in starts])
    means = [values[random.integers(len(values), size=len(values))].mean() for _ in range(draws)]
    return Measured(float(values.mean()), *_percentiles(np.asarray(means)))


def _of_hits(hits: np.ndarray, random: np.random.Generator, draws: int) -> Measured:
    means = [hits[random.integers(len(hits), size=len(hits))].mean() for _ in range(draws)]
    return Measured(float(hits.mean()), *_percentiles(np.asarray(means)))


def _rows(rows: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return rows[random.integers(len(rows), size=len(rows))]


def _percentiles(values: np.ndarray) -> tuple[float, float]:
    outside = (100 - LEVEL) / 2
    low, high = np.percentile(values, [outside, 100 - outside])
    return float(low), float(high)
