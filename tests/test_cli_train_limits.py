"""`jumok train` where it must stop: limits that are passed already, starts that fail, losses that are not finite."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from jumok.run.names import steps_in
from jumok.run.status import status_of
from jumok.training import checkpoint as checkpoints
from jumok.training.loop import Clock
from tests.test_cli_train import TINY, jumok, write

__all__ = ["jumok"]


@pytest.fixture
def stopped(jumok, tmp_path):
    """A run that a signal stopped after step 6 and ten minutes: saved, but neither validated there nor finished."""
    code, _, error = jumok("train", "--out", "run", *TINY, "train.max_steps=6", "train.save_every=3")
    assert code == 0, error
    state = tmp_path / "run" / "checkpoints" / "6"
    tree = json.loads((state / "state.json").read_text())
    tree["progress"]["finished"] = ""
    saved = checkpoints.load(state)
    saved.state = tree
    saved.environment["seconds"] = 600.0
    checkpoints.save(state.parent, saved)
    metrics = tmp_path / "run" / "metrics.jsonl"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text("".join(one for one in lines if not ('"step": 6' in one and "valid_loss" in one)))
    assert len(metrics.read_text().splitlines()) == len(lines) - 1
    return jumok


def steps_of(run: Path, key: str) -> list[int]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["step"] for line in lines if key in line]


def test_a_limit_that_is_passed_is_refused_and_not_kept(stopped, tmp_path):
    before = (tmp_path / "run" / "config.json").read_bytes()
    code, _, error = stopped("train", "--resume", "run", "train.max_steps=4")
    assert code == 2
    assert error == "error: train.max_steps=4 is below step 6, which run has reached; raise it.\n"
    code, _, error = stopped("train", "--resume", "run", "train.max_minutes=2", "train.max_steps=9")
    assert code == 2
    assert error == "error: train.max_minutes=2 is less than the 10.0 minutes that run has been trained; raise it.\n"
    assert (tmp_path / "run" / "config.json").read_bytes() == before
    assert [path.name for path in steps_in(tmp_path / "run" / "checkpoints")][-1] == "6"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(["train.max_steps=6"], "steps"), (["train.max_minutes=10", "train.max_steps=20"], "time")],
    ids=["steps", "time"],
)
def test_a_limit_that_is_reached_ends_the_run_where_it_stands(stopped, tmp_path, limits, reason):
    run = tmp_path / "run"
    validated = steps_of(run, "valid_loss")
    code, out, error = stopped("train", "--resume", "run", *limits, "train.validate_every=5", "--json")
    assert code == 0, error
    assert json.loads(out)["step"] == 6
    assert json.loads(out)["reason"] == reason
    assert status_of(run) == "finished"
    assert [path.name for path in steps_in(run / "checkpoints")][-1] == "6"
    assert set(steps_of(run, "valid_loss")) == {*validated, 6}
    assert len(steps_of(run, "valid_loss")) == len(set(steps_of(run, "valid_loss")))


def test_patience_that_is_over_trains_no_further(stopped, tmp_path):
    state = tmp_path / "run" / "checkpoints" / "6"
    saved = checkpoints.load(state)
    saved.state["progress"]["stale"] = 3
    checkpoints.save(state.parent, saved)
    code, out, error = stopped("train", "--resume", "run", "train.max_steps=20", "train.patience=2",
                               "train.validate_every=6", "--json")  # fmt: skip
    assert code == 0, error
    assert (json.loads(out)["step"], json.loads(out)["reason"]) == (6, "patience")


def test_what_cannot_be_changed_is_named(stopped):
    code, _, error = stopped("train", "--resume", "run", "seed=3")
    assert code == 2
    assert error == "error: 'seed' cannot be changed when a run is resumed; only train.* and runtime.* can.\n"


PLUGIN = """
from jumok.attention import Score, register

@register(good_for="failing")
class Failing(Score):
    name = "failing"

    def forward(self, query, keys):
        raise RuntimeError("no scores today")
"""


@pytest.mark.parametrize(
    "wrong",
    [
        ["seed=99999999999999999999"],
        ["train.betas=[1.0,1.0]"],
        ["runtime.device=nowhere"],
        ["plugins=[nowhere.py]"],
        ["model.encoder.size=400000", "model.decoder.size=400000"],  # fits no memory, though its shapes are fine
        ["train.init_from=nowhere"],
    ],
    ids=lambda one: one[0],
)
def test_a_start_that_failed_leaves_nothing(jumok, tmp_path, wrong):
    """No folder remains, and the corrected command works."""
    code, _, error = jumok("train", "--out", "runs/deep/run", *TINY, "train.max_steps=1", *wrong)
    assert code == 2
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []
    code, _, error = jumok("train", "--out", "runs/deep/run", *TINY, "train.max_steps=1")
    assert code == 0, error


def test_an_error_in_the_first_step_leaves_nothing(jumok, tmp_path, monkeypatch):
    """An error in the user's own code is shown as Python shows it."""
    catalogue = import_module("jumok.attention.catalog")
    for family in ("SCORES", "MECHANISMS"):  # the plugin is known to this test alone
        monkeypatch.setattr(catalogue, family, dict(getattr(catalogue, family)))
    (tmp_path / "failing.py").write_text(PLUGIN)
    options = [*TINY, "plugins=[failing.py]", "model.decoder.attention=failing"]
    with pytest.raises(RuntimeError, match="no scores today"):
        run_command("train", "--out", "runs/run", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["failing.py"]


def run_command(*arguments):
    """The command line in this process, errors and all."""
    from jumok.cli.app import app

    app([*arguments], standalone_mode=False)


def test_a_folder_that_was_there_stays(jumok, tmp_path):
    (tmp_path / "run").mkdir()
    code, _, _ = jumok("train", "--out", "run", *TINY, "train.max_steps=1", "model.decoder.size=900000")
    assert code == 2
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("attention", ["bahdanau", "luong-general", "none"])
def test_a_loss_that_is_no_number_is_told_with_its_step(jumok, tmp_path, attention):
    options = [*TINY, f"model.decoder.attention={attention}", "train.learning_rate=1e30", "train.max_steps=9"]
    code, _, error = jumok("train", "--out", "run", *options, "train.validate_every=100", "train.warmup=0")
    assert code == 2
    last = error.splitlines()[-1]
    assert re.match(r"error: The (loss|gradient) became (nan|inf) at step \d \(batch of sentences ", last)
    assert "Lower train.learning_rate" in last
    assert last.endswith("no checkpoint was written yet.")
    assert "intact" not in last
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_a_checkpoint_that_exists_is_named(jumok, tmp_path):
    code, _, error = jumok("train", "--out", "run", *TINY, "train.max_steps=4")
    assert code == 0, error
    code, _, error = jumok("train", "--resume", "run", "train.max_steps=20", "train.learning_rate=1e30",
                           "train.schedule=constant", "train.validate_every=100")  # fmt: skip
    assert code == 2
    assert "the checkpoint of step 4 is intact, and --resume run starts from it." in error


def test_a_validation_that_is_no_number_is_told_with_its_step(jumok):
    options = [*TINY, "train.learning_rate=1e30", "train.max_steps=9", "train.validate_every=1", "train.warmup=0"]
    code, _, error = jumok("train", "--out", "run", *options)
    assert code == 2
    assert "The validation loss became nan at step 1. Lower train.learning_rate" in error
    assert "scores contain" not in error


@pytest.mark.parametrize("count", [1, 10])
def test_nothing_to_validate_on_points_to_validation_text(jumok, tmp_path, count):
    source, target = (write(tmp_path / f"a.{side}", *["The same line."] * count) for side in ("en", "ko"))
    code, _, error = jumok("train", "--source", source, "--target", target, "--out", "run", *TINY[1:])
    assert code == 2
    dropped = "9 duplicate" if count == 10 else "none"
    assert f"{count} pairs read, dropped {dropped}" in error
    assert "name validation text with data.dev_source and data.dev_target" in error
    assert "{" not in error


def test_a_pipe_is_not_a_corpus(jumok, tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    for verb in (["data", "check"], ["train"]):
        code, _, error = jumok(*verb, "--source", "pipe", "--target", "pipe")
        assert code == 2
        assert error == "error: pipe is not a regular file; it is read more than once, so save it to a file first.\n"


def test_a_limit_of_processor_time_counts_work_alone(jumok, tmp_path):
    keys = [*TINY, "train.clock=processor", "train.max_minutes=0.05", "train.max_steps=1000000"]
    code, _, error = jumok("train", "--out", "threads", *keys, "runtime.threads=2")
    assert (code, error) == (
        2,
        "error: train.clock=processor counts the time of one thread; set runtime.threads=1.\n",
    )
    code, out, error = jumok("train", "--out", "run", *keys, "runtime.threads=1", "--json")
    assert code == 0, error
    assert json.loads(out)["reason"] == "time"
    last = json.loads((tmp_path / "run" / "timing.jsonl").read_text().splitlines()[-1])
    assert 0 < last["processor_seconds"] <= last["training_seconds"] + 0.5


def test_a_clock_counts_from_what_was_spent_before():
    ticks = iter([5.0, 35.0])
    clock = Clock(1.0, lambda: next(ticks), before=15.0)
    assert clock.share == 0.75
