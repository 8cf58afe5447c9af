"""Trainings of the benchmarks are resumed with what was asked for, or not at all."""

import pytest

import jumok
from tests.benchmarks.programs import load
from tests.tasks.test_bandits import TINY

resuming = load("resuming")


def test_a_run_is_resumed_with_keys_that_changed_and_refused_with_those_that_cannot(tmp_path):
    run, keys = tmp_path / "run", [resuming.written(key, value) for key, value in TINY.items()]
    assert resuming.training(run, keys)[-len(keys) - 2 :] == [*keys, "--out", str(run)]
    jumok.train(TINY | {"train.max_steps": 1}, out=run, progress=False)
    same = [*keys, "train.max_steps=1"]
    assert resuming.training(run, same)[-2:] == ["--resume", str(run)]
    more = [*same, "train.max_minutes=5", "train.clock=processor"]
    assert resuming.training(run, more)[-2:] == ["train.max_minutes=5.0", 'train.clock="processor"']
    with pytest.raises(SystemExit, match=r"begun with data\.arms=3, not 4"):
        resuming.training(run, [*same, "data.arms=4"])


def test_files_that_were_read_may_be_named_from_elsewhere(tmp_path):
    assert resuming._same("data.train", "out/omniglot-train.npz", "/there/out/omniglot-train.npz")
    assert not resuming._same("data.train", "out/omniglot-train.npz", "out/other.npz")
