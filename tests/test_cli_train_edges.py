"""`jumok train` at its edges: wrong overrides, damaged checkpoints, interrupted demos, torchrun's restarts."""

import json
import re
import shutil

import pytest
import torch
from safetensors.torch import load_file

from jumok.run.names import steps_in
from jumok.run.status import status_of
from jumok.training import distributed
from jumok.training.report import cut_back
from tests.test_cli_train import TINY, jumok, write

__all__ = ["jumok"]


@pytest.fixture
def trained(jumok):
    """A run of eight steps, with checkpoints of steps 4 and 8."""
    code, _, error = jumok("train", "--out", "run", *TINY, "train.max_steps=8", "train.keep=3")
    assert code == 0, error
    return jumok


def test_overrides_that_cannot_work_are_not_kept(trained, tmp_path):
    before = (tmp_path / "run" / "config.json").read_bytes()
    for wrong in ("runtime.device=meta", "train.stop_metric=bleu"):
        code, _, error = trained("train", "--resume", "run", wrong, "train.validate_size=0")
        assert code == 2, error
        assert (tmp_path / "run" / "config.json").read_bytes() == before


def test_a_run_is_its_own_recipe(trained, tmp_path):
    code, _, error = trained("train", "run/config.json", "--out", "again", "train.max_steps=4")
    assert code == 0, error
    one, other = (json.loads((tmp_path / name / "config.json").read_text()) for name in ("run", "again"))
    assert {key for key in one if one[key] != other[key]} == {"train"}


def test_what_is_printed_is_what_is_trained(trained, tmp_path):
    code, out, _ = trained("config", "print", "--json", *TINY, "train.max_steps=8", "train.keep=3")
    assert code == 0
    kept = json.loads((tmp_path / "run" / "config.json").read_text())
    assert json.loads(out) == {key: value for key, value in kept.items() if key in json.loads(out)}
    code, out, _ = trained("config", "schema")
    assert code == 0
    assert "data.corpora[].weight" in out
    assert "train.max_steps" in out


def test_a_damaged_manifest_is_passed_over_and_no_whole_one_is_refused(trained, tmp_path):
    run = tmp_path / "run"
    manifest = run / "checkpoints" / "8" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"files"', '"fil3s"'))
    code, _, error = trained("train", "--resume", "run", "train.max_steps=9")
    assert code == 0, error
    assert "manifest.json is damaged" in error
    lines, best = (run / "metrics.jsonl").read_bytes(), (run / "model.safetensors").read_bytes()
    for path in steps_in(run / "checkpoints"):
        (path / "state.json").write_text("{}")
    code, _, error = trained("train", "--resume", "run", "train.max_steps=12")
    assert code == 2
    assert "No checkpoint of run is intact" in error
    assert (run / "metrics.jsonl").read_bytes() == lines
    assert (run / "model.safetensors").read_bytes() == best


def test_an_average_that_begins_late_begins_at_the_weights(trained, tmp_path):
    code, _, error = trained("train", "--resume", "run", "train.max_steps=9", "train.save_every=1", "train.ema=0.9999")
    assert code == 0, error
    before = load_file(tmp_path / "run" / "checkpoints" / "8" / "model.safetensors")
    average = load_file(tmp_path / "run" / "checkpoints" / "9" / "ema.safetensors")
    for name, value in average.items():
        if value.is_floating_point():
            torch.testing.assert_close(value, before[name], atol=1e-3, rtol=0)


def test_pairs_that_are_too_long_in_tokens_are_told(jumok, tmp_path):
    short = [f"word {n} here" for n in range(40)]
    long = ["x" * (300 + n) for n in range(8)]
    source, target = (write(tmp_path / f"a.{side}", *short, *long) for side in ("en", "ko"))
    options = [*TINY[1:], "text.kind=characters", "data.max_length=40", "train.max_steps=1"]
    code, _, error = jumok("train", "--source", source, "--target", target, "--out", "run", *options)
    assert code == 0, error
    assert re.search(r"\d of \d+ training pairs have more than data.max_length=40 tokens", error)


def test_an_interrupted_demo_is_not_a_trained_one(trained, tmp_path):
    run = tmp_path / "run"
    assert status_of(run) == "finished"
    state = run / "checkpoints" / "8" / "state.json"
    tree = json.loads(state.read_text())
    tree["progress"]["finished"] = ""
    state.write_text(json.dumps(tree))
    assert status_of(run) == "stopped"
    shutil.rmtree(run / "checkpoints")  # as a user does to save space: weights and timing.jsonl say that it is trained
    assert status_of(run) == "finished"
    (run / "model.safetensors").unlink()
    assert status_of(run) == "stopped"
    (run / "config.json").unlink()
    assert status_of(run) == "gone"


def test_a_validation_that_is_still_to_come_has_no_line_yet():
    lines = [b'{"step": 4, "loss": 2}\n', b'{"step": 4, "valid_loss": 3}\n', b'{"step": 6, "loss": 1}\n']
    assert cut_back(b"".join(lines), 4) == b"".join(lines[:2])
    assert cut_back(b"".join(lines), 4, to_validate=True) == lines[0]


def test_a_restart_knows_the_run_it_began(tmp_path, monkeypatch):
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
    distributed.mark_as_own(mine)
    assert not (mine / distributed.MARK).exists(), "only torchrun restarts"
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    distributed.mark_as_own(mine)
    assert distributed.own_folder([other, mine]) == mine
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "17")
    assert distributed.own_folder([other, mine]) is None
