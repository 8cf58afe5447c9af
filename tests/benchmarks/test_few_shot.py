"""The yardsticks of few-shot classification: the plain network is the same function as ours."""

import json
import sys

import numpy as np
import torch

from jumok.config import resolve
from jumok.tasks.few_shot.build import build_classifier
from tests.benchmarks.programs import load
from tests.data.test_glyphbook import draw_many

TINY = {
    "task": "few-shot",
    "data.classes": 8,
    "data.held_out": 4,
    "data.drawings": 4,
    "data.side": 16,
    "data.ways": 3,
    "data.shots": 2,
    "data.queries": 1,
    "data.episodes": 2,
    "model.embedding": 7,
    "model.image_filters": 5,
    "model.filters": 3,
    "model.keys": [6, 10],
}


def test_the_plain_network_computes_what_ours_does():
    plain, config = load("plain_snail"), resolve(TINY)
    torch.manual_seed(1)
    ours = build_classifier(config).double()
    other = plain.PlainSnail(config).double().take(ours)
    pixels = torch.randint(0, 256, (2, 6 + 5, 16, 16), dtype=torch.uint8)
    support = torch.stack([torch.randperm(6) % 3 for _ in range(2)])
    found = ours(pixels, support).logits_EQN
    torch.testing.assert_close(other(pixels, support), found)
    torch.testing.assert_close(other.in_channels_last()(pixels, support), found)


def test_the_speed_of_both_is_measured_on_the_same_episodes(tmp_path):
    plain = load("plain_snail")
    for single in (False, True):
        speeds = plain.measure(resolve(TINY), tmp_path / str(single), steps=2, single=single)
        assert set(speeds) == {"plain", "plain, channels_last", "jumok"}
        assert min(speeds.values()) > 0


def test_a_row_is_trained_tested_and_told(tmp_path, monkeypatch, capsys):
    program = load("few_shot")
    images = draw_many(1, range(24), range(6), 16)
    parts = np.array(["train"] * 12 + ["val"] * 6 + ["test"] * 6)
    names = np.array([f"c{n}" for n in range(24)])
    np.savez(tmp_path / "small.npz", images=images, class_name=names, vinyals=parts)
    keys = [f"{key}={json.dumps(value)}" for key, value in TINY.items() if key.startswith("model.")]
    keys += ["data.side=16", "data.ways=3", "data.episodes=2", "train.max_steps=2", "train.validate_size=4"]
    command = ["--data", tmp_path / "small.npz", "--out", tmp_path / "out", "--rows", "without-convolutions"]
    monkeypatch.setattr(sys, "argv", ["few_shot.py", *map(str, command), "--episodes", "30", "--set", *keys])
    program.main()
    result = json.loads((tmp_path / "out" / "without-convolutions.json").read_text())
    assert 0 <= result["accuracy"] <= 100
    assert result["pixels"] > 100 / 3
    assert result["training_episodes"] == 4
    assert "| without-convolutions |" in capsys.readouterr().out
    assert (tmp_path / "out" / "curves.svg").exists()


def test_the_nearest_neighbour_is_the_example_of_the_same_direction():
    program, plain = load("few_shot"), load("plain_snail")
    batch = plain.EpisodeBatch(
        [0], torch.zeros(1, 4, 1, 1), torch.tensor([[1, 0]]), torch.tensor([[0, 0]]), torch.tensor([[3, 5]])
    )
    vectors = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.1, 5.0], [9.0, 1.0]]])
    assert program.nearest(vectors, batch).tolist() == [50.0]


def test_bandits_are_trained_measured_and_told(tmp_path, monkeypatch, capsys):
    program = load("bandits")
    keys = ["data.batch=8", "train.max_steps=2", "train.validate_size=8", "model.size=4", "model.filters=4"]
    command = ["bandits.py", "--out", tmp_path, "--rows", "n10-k5", "--episodes", 50, "--set", *keys]
    monkeypatch.setattr(sys, "argv", [str(part) for part in command])
    program.main()
    told = capsys.readouterr().out
    assert "| n10-k5 | Gittins index |" in told
    assert "jumok (snail)" in told
    assert "jumok (lstm)" in told
