"""A run that was left and resumed is the run that was never left, bit for bit, where more than weights is carried on.

`test_tasks.py` insists on this for every row of the table of tasks; here are recipes whose state is easily forgotten:
pictures that change from epoch to epoch, and draws of hard attention with what is learned about their reward.
"""

import pytest
from safetensors.torch import load_file

import jumok
from jumok.training.events import Saved

STEPS, LEFT = 4, 2
SHORT = {"train.max_steps": STEPS, "train.validate_every": STEPS, "train.save_every": LEFT, "runtime.threads": 1}
TINY = {
    "task": "captioning", "model.embedding": 16, "model.encoder.size": 16, "model.decoder.size": 16,
    "train.batch_tokens": 128, "data.picturebook_size": 120, "data.held_out": 10,
    "model.frontend.channels": [8, 8, 16], "train.validate_size": 5,
}  # fmt: skip
CHANGED = {"data.colour": 0.2, "data.crop": 0.1}
HARD = {
    "model.decoder.attention": "hard", "model.decoder.attention_options": {"expected": 0.5}, "train.entropy": 0.1,
}  # fmt: skip


def weights_after(folder, step):
    return load_file(folder / "checkpoints" / str(step) / "model.safetensors")


@pytest.mark.parametrize("keys", [CHANGED, HARD], ids=["changed pictures", "hard attention"])
def test_a_run_that_is_resumed_is_the_run_that_never_stopped(keys, tmp_path):
    config = {**SHORT, **TINY, **keys}
    jumok.train(config, out=tmp_path / "whole", progress=False)
    for event in jumok.start_training(config, out=tmp_path / "left"):
        if isinstance(event, Saved) and event.step == LEFT:
            break
    jumok.train(resume=tmp_path / "left", progress=False)
    whole, left = (weights_after(tmp_path / run, STEPS) for run in ("whole", "left"))
    assert whole.keys() == left.keys()
    assert [key for key in whole if not bool((whole[key] == left[key]).all())] == []
