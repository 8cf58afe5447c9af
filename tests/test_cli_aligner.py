"""`jumok aligner` as a person uses it."""

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jumok.alignment import check_bounds, parse_pharaoh, read_soft
from jumok.cli.app import app
from jumok.data.phrasebook import generate
from jumok.errors import DataError, UnknownNameError

SMALL = ["--epochs", "1", "--size", "8"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    examples = list(generate("en-fr", size=7))
    source, target = tmp_path / "a.en", tmp_path / "a.fr.gz"
    source.write_text("".join(f"{example.source}\n" for example in examples) + "\n", "utf-8")
    target.write_bytes(gzip.compress(("".join(f"{example.target}\n" for example in examples) + "x\n").encode()))
    return str(source), str(target)


def run(*arguments: str):
    return CliRunner().invoke(app, ["aligner", *arguments], catch_exceptions=False)


def test_a_pharaoh_line_for_each_pair_and_an_empty_one_for_an_empty_line(files, tmp_path):
    soft, gold = tmp_path / "soft.npz", tmp_path / "gold"
    gold.write_text("0-0\n" * 7 + "\n")
    result = run(*files, *SMALL, "--soft", str(soft), "--gold", str(gold))
    lines = result.stdout.split("\n")
    assert len(lines) == 9
    assert lines[7:] == ["", ""]
    for line, example in zip(lines, generate("en-fr", size=7), strict=False):
        check_bounds(parse_pharaoh(line), len(example.source.split()), len(example.target.split()))
    assert any(lines)
    assert "AER" in result.stderr
    assert len(read_soft(soft)) == 8


def test_json(files):
    lines = run(*files, *SMALL, "--json", "--symmetrize", "union").stdout.splitlines()
    assert all(isinstance(json.loads(line)["alignment"], list) for line in lines)
    assert len(lines) == 8


def test_what_is_wrong_is_said(files, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'union'"):
        run(*files, "--symmetrize", "unoin")
    short = tmp_path / "short"
    short.write_text("x\n")
    with pytest.raises(DataError, match="must match line by line"):
        run(files[0], str(short))
