"""Numbers in and out: vectors as they are typed, and arrays as they are printed.

    "1,3"            one vector                 "0,1,1; 5,0,1"   one vector per row
    "[[0,1],[5,0]]"  the same as JSON

Arrays are printed as numpy prints them, with eight digits; whole numbers without a point.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jumok.errors import InputError

Array = NDArray[np.float64]

_WIDEST = 100
_TRUE, _FALSE = ("1", "true", "yes"), ("0", "false", "no")


def parse_rows(text: str, what: str) -> Array:
    """The matrix of a text such as `0,1,1; 5,0,1`; `what` names it in errors."""
    rows = [[_number(cell, what) for cell in row] for row in _cells(text, what)]
    if len({len(row) for row in rows}) > 1:
        sizes = ", ".join(str(len(row)) for row in rows)
        raise InputError(f"The rows of {what} must be of one size, got rows of {sizes} numbers.")
    return np.array(rows, dtype=np.float64)


def parse_mask(text: str) -> NDArray[np.bool_]:
    """The mask of a text such as `1,1,0`: 1 = may be attended."""
    rows: list[list[bool]] = []
    for row in _cells(text, "--mask"):
        rows.append([_truth(cell) for cell in row])
    if len({len(row) for row in rows}) > 1:
        raise InputError("The rows of --mask must be of one size.")
    return np.array(rows, dtype=np.bool_)


def _cells(text: str, what: str) -> list[list[str]]:
    text = text.strip()
    if text.startswith("["):
        return _json_cells(text, what)
    rows = [row.strip() for row in text.strip(";").split(";")]
    if not all(rows):
        raise InputError(f"{what} has an empty row in '{text}'; write numbers as 1,3 and rows as 1,3; 2,5.")
    return [[cell.strip() for cell in row.split(",")] if "," in row else row.split() for row in rows]


def _json_cells(text: str, what: str) -> list[list[str]]:
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{what} starts like a JSON list but is none: {error.msg} at character {error.pos}.") from None
    rows = found if found and all(isinstance(row, list) for row in found) else [found]
    if not all(row and all(isinstance(cell, int | float) for cell in row) for row in rows):
        raise InputError(f"{what} must be a list of numbers or a list of such lists, got {text}.")
    return [[str(cell) for cell in row] for row in rows]


def _number(cell: str, what: str) -> float:
    try:
        value = float(cell.replace("−", "-"))
    except ValueError:
        raise InputError(
            f"{what} has '{cell}' where a number must stand; write numbers as 1,3 and rows as 1,3; 2,5."
        ) from None
    if not math.isfinite(value):
        raise InputError(f"{what} must hold finite numbers, got '{cell}'.")
    return value


def _truth(cell: str) -> bool:
    word = cell.lower()
    if word not in (*_TRUE, *_FALSE):
        raise InputError(f"--mask has '{cell}' where 1 (may be attended) or 0 must stand.")
    return word in _TRUE


def show(values: Any) -> str:
    """The array as numpy prints it; whole numbers without a point, booleans as 1 and 0."""
    array = np.asarray(values)
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    elif np.issubdtype(array.dtype, np.floating):
        array = array + 0.0  # no −0
        if np.isfinite(array).all() and (array == np.round(array)).all() and np.abs(array).max(initial=0) < 1e12:
            array = array.astype(np.int64)
    if array.ndim == 0:
        return f"{array.item():.8g}"
    return np.array2string(array, precision=8, max_line_width=_WIDEST, threshold=400, edgeitems=6)


def short(value: float) -> str:
    """A number for a line of arithmetic, with as many digits as in an array."""
    return f"{value + 0.0:.8g}"


def factor(value: float) -> str:
    """A number after a sign: in brackets where it is negative."""
    return f"({short(value)})" if value < 0 else short(value)


def signed_sum(values: Sequence[float]) -> str:
    """`2 - 60`: numbers added up, each with its own sign."""
    first, *rest = values
    return short(first) + "".join(f" {'-' if value < 0 else '+'} {short(abs(value))}" for value in rest)


def inner_product(left: Sequence[float] | Array, right: Sequence[float] | Array) -> str:
    """`10×0 + 5×1 + 10×1`; negative factors after a sign stand in brackets."""
    return " + ".join(f"{factor(a)}×{factor(b)}" for a, b in zip(left, right, strict=True))


def to_plain(value: Any) -> Any:
    """Lists and numbers for JSON; what is not finite (a score that nothing may look at) is null."""
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [to_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
