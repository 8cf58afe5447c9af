"""Tensors as typed lists: torch's own `tolist` and `unique` have no types."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import cast

from torch import Tensor


def ints(values_N: Tensor) -> list[int]:
    """A row of whole numbers."""
    return cast("list[int]", values_N.tolist())


def floats(values_N: Tensor) -> list[float]:
    """A row of numbers."""
    return cast("list[float]", values_N.tolist())


def bools(values_N: Tensor) -> list[bool]:
    """A row of truth values."""
    return cast("list[bool]", values_N.tolist())


def int_rows(values_NM: Tensor) -> list[list[int]]:
    """Rows of whole numbers."""
    return cast("list[list[int]]", values_NM.tolist())


def float_rows(values_NM: Tensor) -> list[list[float]]:
    """Rows of numbers."""
    return cast("list[list[float]]", values_NM.tolist())


def distinct(values_N: Tensor) -> tuple[list[int], Tensor]:
    """The different whole numbers in rising order, and for each value its place among them."""
    numbers, place_N = cast("tuple[Tensor, Tensor]", values_N.unique(return_inverse=True))
    return ints(numbers), place_N
