"""`jumok run calibrate`: the reliability as JSON and as a picture; `translate --json` then says how sure."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

TRAINED = Path(__file__).parent / "engine" / "trained" / "rnnsearch"


def jumok(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jumok", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)


def test_command_prints_curves_and_draws_them(tmp_path):
    run, picture = str(tmp_path / "run"), tmp_path / "curve.svg"
    shutil.copytree(TRAINED, run)
    before = json.loads(jumok("translate", run, "--json", text="A dog sleeps.\n").stdout)
    assert "confidence" not in before
    done = jumok("run", "calibrate", run, "--size", "60", "--beam", "1", "--json", "--plot", str(picture))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["sentences"] == 60
    assert told["reliability"]["word"]["after"]["count"] == told["reliability"]["word"]["before"]["count"] > 60
    assert "as they should be" in picture.read_text(encoding="utf-8")
    one, empty = map(json.loads, jumok("translate", run, "--json", text="A dog sleeps.\n\n").stdout.splitlines())
    assert len(one["word_confidence"]) == len(one["words"]) == len(one["text"].split())
    assert 0 <= one["confidence"] <= 1
    assert (empty["confidence"], empty["word_confidence"]) == (None, [])


def test_mistakes_are_one_sentence(tmp_path):
    run = str(shutil.copytree(TRAINED, tmp_path / "run"))  # the command takes the run's lock
    lines = tmp_path / "lines.txt"
    lines.write_text("A dog.\n", encoding="utf-8")
    mistakes = [
        (str(tmp_path / "none"),),
        (run, "--source", str(lines)),
        (run, "--source", str(lines), "--reference", str(tmp_path / "missing.txt")),
        (run, "--source", str(lines), "--reference", str(lines)),
        (run, "--plot", str(tmp_path / "curve.xyz")),
    ]
    for arguments in mistakes:
        done = jumok("run", "calibrate", *arguments)
        told = [line for line in done.stderr.splitlines() if "translating" not in line]
        assert (done.returncode, len(told)) == (2, 1), done.stderr
        assert told[0].startswith("error: ")
