"""Pictures are written, hold what they must, and are the same each time."""

from pathlib import Path

import pytest

from jumok.errors import InputError
from jumok.inspect import Request, draw, explain, explain_regression, generalise


def test_the_regression_shows_all_it_must(tmp_path: Path):
    draw(explain_regression(Request("nadaraya-watson"), "ko"), tmp_path / "out.svg")
    svg = (tmp_path / "out.svg").read_text()
    for label in ("데이터", "단순 평균", "정규화 전", "정규화 후 (나다라야–왓슨)", "가중치", "예측 지점 x"):
        assert label in svg
    assert "<image" in svg  # the weight matrix


@pytest.mark.parametrize("name", ["dot", "coverage", "transformer", "kernel", "luong-local-p"])
def test_weights_as_bars_or_matrix(name: str, tmp_path: Path):
    for path in (tmp_path / "a.svg", tmp_path / "b.svg"):
        draw(explain(Request(name)), path)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_png(tmp_path: Path):
    draw(generalise(), tmp_path / "scale.png")
    assert (tmp_path / "scale.png").read_bytes().startswith(b"\x89PNG")


def test_bad_endings_and_sizes(tmp_path: Path):
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        draw(explain(Request("dot")), tmp_path / "out.pdf")
    import numpy as np

    flat = Request("nadaraya-watson", query=np.ones((1, 2)), keys=np.ones((3, 2)))
    with pytest.raises(InputError, match="one number each"):
        draw(explain_regression(flat), tmp_path / "out.svg")
