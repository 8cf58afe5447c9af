"""Soft attention becomes word alignment: merge subwords to words, choose links, write them as Pharaoh lines.

Everywhere a matrix has **target words as rows and source words as columns** (a row is what one target word
looked at), while a link is the pair **(source i, target j)** as in Pharaoh's `i-j`. All indices count from 0.
"""

import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok.arguments import check_finite
from jumok.errors import DataError, InputError, ShapeError

Link = tuple[int, int]
Matrix = NDArray[np.floating]

NO_WORD = -1
"""The word number of a token that belongs to no word, such as the end of the sentence."""


class Positions(Protocol):
    """What was looked at, as a drawing needs it; every layout of `models/layout.py` is one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How they lie: `(S,)` in a row, `(rows, columns)` in a picture."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """How each of them is called."""
        ...


@dataclass(frozen=True)
class Links:
    """Gold links of one sentence pair: those the annotators are sure of, and those that are only possible.

    The two sets are disjoint; the set P of Och and Ney (2003), which contains S, is `sure | possible`.
    """

    sure: frozenset[Link] = frozenset()
    possible: frozenset[Link] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "sure", frozenset(self.sure))
        object.__setattr__(self, "possible", frozenset(self.possible) - self.sure)


@dataclass(frozen=True)
class Row:
    """Labelled positions one after another."""

    labels: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.labels),)


Source = Sequence[str] | Positions
"""What a target looked at: words, or a layout of positions."""


def positions_of(source: Source) -> Positions:
    """The positions to draw; words lie in a row."""
    return Row(tuple(source)) if isinstance(source, Sequence) else source


def checked_matrix(matrix: ArrayLike, source_count: int | None = None, target_count: int | None = None) -> Matrix:
    """The matrix as floating point numbers [T, S], or a `ShapeError` that says what is wrong with it."""
    array = np.asarray(matrix)
    if array.dtype.kind not in "fiub":
        raise ShapeError(f"an attention matrix holds real numbers, not {array.dtype}")
    if array.ndim != 2:
        raise ShapeError(f"an attention matrix is [target, source]; this one has shape {array.shape}")
    for axis, (side, count) in enumerate((("target", target_count), ("source", source_count))):
        if count is not None and array.shape[axis] != count:
            raise ShapeError(
                f"the matrix has {array.shape[axis]} {side} positions, but {count} {side} words were given: "
                "rows are target words and columns are source words"
            )
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ShapeError("an attention matrix must be finite; this one holds NaN or infinity")
    return array


def _membership(word_of_token: Sequence[int], words: int | None, tokens: int, side: str) -> Matrix:
    """[tokens, words]: 1 where the token is part of the word."""
    index = np.asarray(word_of_token, dtype=np.int64).reshape(-1)
    if len(index) != tokens:
        raise ShapeError(
            f"the matrix has {tokens} {side} tokens, but the words of {len(index)} tokens were given; "
            f"give {NO_WORD} for a token that belongs to no word, such as the end of the sentence"
        )
    largest = int(index.max(initial=NO_WORD))
    count = largest + 1 if words is None else words
    if index.min(initial=NO_WORD) < NO_WORD or largest >= count:
        raise ShapeError(f"the {side} word numbers must lie in 0…{count - 1} (or be {NO_WORD} for no word)")
    membership = np.zeros((tokens, count))
    inside = index != NO_WORD
    membership[np.nonzero(inside)[0], index[inside]] = 1.0
    return membership


def merge_to_words(
    matrix_TS: ArrayLike,
    source_word_of_token: Sequence[int],
    target_word_of_token: Sequence[int],
    *,
    source_count: int | None = None,
    target_count: int | None = None,
) -> Matrix:
    """The matrix over words [target words, source words] of a matrix over subword tokens [T, S].

    Attention to a source word is attention to any of its tokens, so its columns are **summed**; a target word
    is written by all of its tokens, each with a distribution of its own, so its rows are **averaged**. A row
    that was a distribution over tokens stays a distribution over words: mass is conserved.

    A token with the word number -1 (the end of the sentence) belongs to no word: its row or column is left
    out and what it was given is missing from the sums (see `argmax_links`, `null`). A word without tokens is
    all zeros; the counts, when given, say how many words there are beyond the last one that has a token.
    """
    matrix = checked_matrix(matrix_TS)
    source_SN = _membership(source_word_of_token, source_count, matrix.shape[1], "source")
    target_TN = _membership(target_word_of_token, target_count, matrix.shape[0], "target")
    tokens_of_word = np.maximum(target_TN.sum(axis=0), 1.0)
    # a'_{J,I} = 1/|J| Σ_{t ∈ J} Σ_{s ∈ I} a_{t,s}
    return (target_TN / tokens_of_word).T @ matrix @ source_SN


def argmax_links(
    matrix: ArrayLike,
    *,
    threshold: float = 0.0,
    null: ArrayLike | None = None,
    ties: Literal["first", "all"] = "first",
) -> list[Link]:
    """For each target word the link to the source word it looked at most, sorted (source, target) pairs.

    A target word stays without a link when its row is zero, when its largest weight is below `threshold`, or
    when `null` is given (one weight per target word: what went to no word at all, for example to the end of the
    sentence) and is larger than the row's largest weight. Of equal weights the leftmost source word wins, or
    `ties="all"`.
    """
    weights = checked_matrix(matrix)
    if weights.size == 0:
        return []
    best = weights.max(axis=1)
    linked = (best > 0.0) & (best >= threshold)
    if null is not None:
        null_T = np.asarray(null, dtype=np.float64)
        if null_T.shape != best.shape:
            raise ShapeError(f"null needs one weight for each of {len(best)} target words, not {null_T.shape}")
        linked &= best >= null_T
    if ties == "all":
        targets, sources = np.nonzero((weights == best[:, None]) & linked[:, None])
    else:
        targets = np.nonzero(linked)[0]
        sources = weights.argmax(axis=1)[linked]
    return sorted(zip(sources.tolist(), targets.tolist(), strict=True))


def threshold_links(matrix: ArrayLike, threshold: float) -> list[Link]:
    """Every (source, target) whose weight is at least `threshold`, sorted: any number of links per word."""
    if not threshold > 0.0:
        raise InputError(f"the link threshold must be above 0, not {threshold}: a zero weight is not a link")
    check_finite("the link threshold", threshold)
    targets, sources = np.nonzero(checked_matrix(matrix) >= threshold)
    return sorted(zip(sources.tolist(), targets.tolist(), strict=True))


def transpose(links: Iterable[Link]) -> list[Link]:
    """The links turned round, (j, i) for each (i, j): a target-to-source model counts the other way."""
    return sorted((j, i) for i, j in links)


def to_pharaoh(links: Iterable[Link] | Links) -> str:
    """One line `0-0 1-2`, sorted; possible links of a `Links` are written `1p2` as in the Hansards files."""
    if not isinstance(links, Links):
        return " ".join(f"{i}-{j}" for i, j in sorted(set(links)))
    marked = [(link, "-") for link in links.sure] + [(link, "p") for link in links.possible]
    return " ".join(f"{i}{mark}{j}" for (i, j), mark in sorted(marked))


_PHARAOH = re.compile(r"([0-9]{1,9})([-p?])([0-9]{1,9})")


def parse_pharaoh(line: str, *, where: str = "") -> Links:
    """The links of one Pharaoh line: `i-j` is sure, `ipj` and `i?j` possible; given as both it is sure.

    `where` (such as `gold.txt, line 3`) is put into the error.
    """
    sure: set[Link] = set()
    possible: set[Link] = set()
    for item in line.split():
        parts = _PHARAOH.fullmatch(item)
        if parts is None:
            place = f"{where}: " if where else ""
            raise DataError(
                f"{place}{item!r} is not a link; write source-target from 0, as in 0-0 1-2, "
                "or 1p2 for a link that is only possible"
            )
        (sure if parts[2] == "-" else possible).add((int(parts[1]), int(parts[3])))
    return Links(frozenset(sure), frozenset(possible))


def read_pharaoh(path: str | Path) -> list[Links]:
    """The links of every line of a file (also .gz): one sentence pair per line, an empty line for no links."""
    path = Path(path)
    try:
        data = path.read_bytes()
        content = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError) as error:
        raise DataError(f"cannot read the links of {path}: {error}") from None
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    links: list[Links] = []
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise DataError(f"{path}, line {number} is not UTF-8; convert the file and try again") from None
        links.append(parse_pharaoh(text, where=f"{path}, line {number}"))
    return links


def check_bounds(links: Links | Iterable[Link], source_count: int, target_count: int, *, where: str = "") -> None:
    """Raises `DataError` for a link beyond the words of its sentence: the sign of files that do not match."""
    every = chain(links.sure, links.possible) if isinstance(links, Links) else links
    for i, j in every:
        if not (0 <= i < source_count and 0 <= j < target_count):
            place = f"{where}: " if where else ""
            raise DataError(
                f"{place}the link {i}-{j} points outside a pair of {source_count} source and {target_count} "
                "target words; links are source-target and count white-space words from 0"
            )
