"""The yardsticks of few-shot classification: the plain network is the same function as ours."""

import torch

from jumok.config import resolve
from jumok.tasks.few_shot.build import build_classifier
from tests.benchmarks.programs import load

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
