"""Numbers as they are typed and printed."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.errors import InputError
from jumok.inspect.numbers import inner_product, parse_mask, parse_rows, show, to_plain

finite = st.floats(-1e9, 1e9)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(finite, min_size=n, max_size=n), min_size=1, max_size=5)))
def test_rows_round_trip(rows: list[list[float]]):
    text = ";".join(",".join(repr(cell) for cell in row) for row in rows)
    assert parse_rows(text, "--keys").tolist() == rows
    assert parse_rows(json.dumps(rows), "--keys").tolist() == rows


@pytest.mark.parametrize("text", ["1,3", " 1 , 3 ", "1 3", "[1, 3]", "[[1, 3]]", "1,3;"])
def test_ways_to_write_a_vector(text: str):
    assert parse_rows(text, "--query").tolist() == [[1.0, 3.0]]


def test_a_typographic_minus_is_a_minus():
    assert parse_rows("2,−5", "--keys").tolist() == [[2.0, -5.0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,x", "'x'"),
        ("1,,2", "''"),
        ("", "empty row"),
        ("1;;2", "empty row"),
        ("1,2;3", "rows of 2, 1"),
        ("nan", "finite"),
        ("inf", "finite"),
        ("[1,", "JSON"),
        ("[[1],2]", "list of numbers"),
        ("[]", "list of numbers"),
        ('["a"]', "list of numbers"),
    ],
)
def test_bad_rows_name_the_argument(text: str, said: str):
    with pytest.raises(InputError, match="--keys") as error:
        parse_rows(text, "--keys")
    assert said in str(error.value)


def test_masks():
    assert parse_mask("1,0,true").tolist() == [[True, False, True]]
    with pytest.raises(InputError, match="'2'"):
        parse_mask("2,0")


def test_arrays_are_printed_as_numpy_prints_them():
    weights = np.array([2.86251858e-20, 1.0, 2.86251858e-20, 1.38879439e-11])
    assert show(weights) == str(weights)
    assert show(np.array([15.0, 60.0])) == "[15 60]"
    assert show(np.float64(-0.0)) == "0"


def test_inner_product_is_written_out():
    assert inner_product([1, 3], [2, -5]) == "1×2 + 3×(-5)"


def test_what_is_not_finite_is_null():
    assert to_plain({"a": np.array([1.0, -math.inf])}) == {"a": [1.0, None]}
