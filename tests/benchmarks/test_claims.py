"""The claims' program runs from end to end on a few steps, and its parts count what they say."""

import subprocess
import sys

import pytest

from tests.benchmarks.programs import ROOT, load


def test_crossings_are_links_in_the_other_order():
    crossings = load("claims").crossings
    assert crossings([[(0, 0), (1, 2), (2, 1)]], [[(1, 2)]]) == (2, 1)
    assert crossings([[(0, 0), (1, 1)]], [[]]) == (0, 0)


def test_every_claim_has_a_page_that_shows_its_pictures_and_command():
    for name in load("claims").CLAIMS:
        text = (ROOT / "docs" / "claims" / f"{name}.md").read_text(encoding="utf-8")
        assert f"benchmarks/claims.py {name}" in text
        assert "images/claims/" in text


@pytest.mark.timeout(300)
def test_a_claim_runs_in_a_few_steps_and_keeps_what_people_wrote(tmp_path):
    page = tmp_path / "docs" / "claims" / "order.md"
    page.parent.mkdir(parents=True)
    page.write_text("before\n<!-- measured -->\nstale\n<!-- /measured -->\nafter\n")
    program = [sys.executable, str(ROOT / "benchmarks" / "claims.py"), "order", "--quick", "--out", str(tmp_path)]
    subprocess.run(program, check=True)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| en→ko |" in text
    assert "stale" not in text
    assert list((tmp_path / "docs" / "images" / "claims").glob("order-en-fr-*.svg"))
