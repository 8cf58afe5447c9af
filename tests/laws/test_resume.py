"""A run that was left and resumed is the run that was never left, bit for bit, for every task of the table."""

import pytest
from safetensors.torch import load_file

import jumok
from jumok.training.events import Saved

STEPS, LEFT = 4, 2
SHORT = {"train.max_steps": STEPS, "train.validate_every": STEPS, "train.save_every": LEFT, "runtime.threads": 1}
SMALL = {"model.embedding": 16, "model.encoder.size": 16, "model.decoder.size": 16, "train.batch_tokens": 128}
TINY = {
    "translation": {**SMALL, "data.phrasebook_size": 120, "data.held_out": 10, "train.validate_size": 5},
    "summarisation": {**SMALL, "data.newsbook_size": 120, "data.held_out": 10, "train.validate_size": 5},
    "few-shot": {
        "data.classes": 12, "data.drawings": 4, "data.held_out": 6, "data.episodes": 2, "model.image_filters": 4,
        "model.filters": 4, "model.keys": [4, 4], "train.validate_size": 2,
    },
    "captioning": {
        **SMALL, "data.picturebook_size": 120, "data.held_out": 10, "model.frontend.channels": [8, 8, 16],
        "data.colour": 0.2, "data.crop": 0.1, "train.validate_size": 5,
    },
    "captioning, hard": {
        **SMALL, "data.picturebook_size": 120, "data.held_out": 10, "model.frontend.channels": [8, 8, 16],
        "model.decoder.attention": "hard", "model.decoder.attention_options": {"expected": 0.5}, "train.entropy": 0.1,
        "train.validate_size": 5,
    },
}  # fmt: skip


def weights_after(folder, step):
    return load_file(folder / "checkpoints" / str(step) / "model.safetensors")


@pytest.mark.parametrize("name", TINY)
def test_a_run_that_is_resumed_is_the_run_that_never_stopped(name, tmp_path):
    config = {"task": name.partition(",")[0], **SHORT, **TINY[name]}
    jumok.train(config, out=tmp_path / "whole", progress=False)
    for event in jumok.start_training(config, out=tmp_path / "left"):
        if isinstance(event, Saved) and event.step == LEFT:
            break
    jumok.train(resume=tmp_path / "left", progress=False)
    whole, left = (weights_after(tmp_path / run, STEPS) for run in ("whole", "left"))
    assert whole.keys() == left.keys()
    assert [key for key in whole if not bool((whole[key] == left[key]).all())] == []
