"""Benchmarks replace no text or results of another kind."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_distilled_text_does_not_replace_the_text_it_is_made_of(tmp_path):
    done = run("distil.py", "--teacher", tmp_path, "--data", tmp_path, "--out", tmp_path / ".")
    assert done.returncode == 2
    assert "--out must be another folder than --data" in done.stderr


def test_results_do_not_replace_another_file(tmp_path):
    taken = tmp_path / "config.json"
    taken.write_text('{"format": 1}')
    done = run("attention.py", "--quick", "--out", taken)
    assert done.returncode != 0
    assert "is not a JSON file of results and would be lost" in done.stderr
    assert taken.read_text() == '{"format": 1}'
