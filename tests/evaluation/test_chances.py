"""Probabilities of right words, averaged; and a sentence that goes on after a wrong word."""

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.evaluation.chances import MeanChance, distributions, mean_chances, word_chances
from jumok.evaluation.exposure import derail
from jumok.models.build import build_model
from jumok.shapes import BOS, EOS

SIZES = ["model.encoder.size=14", "model.decoder.size=10", "model.embedding=12"]
PAIRS = [([5, 6, 7], [4, 5]), ([8, 9, 10, 11, 5], [6, 7, 8, 9]), ([5], [4])]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    built = build_model(resolve({}, SIZES).model, 13, 17)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.mul_(3.0)  # so that words differ in probability
    return built.eval()


def test_chances_do_not_depend_on_the_batch(model):
    together = word_chances(model, PAIRS)
    for (source, target), row in zip(PAIRS, together, strict=True):
        assert row == pytest.approx(word_chances(model, [(source, target)], budget=1)[0], abs=1e-6)
        log_prob_TV = distributions(model, source, target)
        assert row == pytest.approx(
            [float(log_prob_TV[t, word].exp()) for t, word in enumerate([*target, EOS])], abs=1e-6
        )


def test_means_are_taken_within_groups():
    assert mean_chances([(2, 0.5), (1, 0.25), (2, 1.0)]) == [MeanChance(1, 1, 0.25), MeanChance(2, 2, 0.75)]


def test_a_wrong_word_is_heard_only_without_teacher_forcing(model):
    (source, target), at, wrong = PAIRS[1], 1, 12
    forced, free = derail(model, source, target, at, wrong)
    assert forced.heard == [BOS, *target]
    assert free.heard[: at + 2] == [BOS, target[0], wrong]
    assert free.heard[at + 2 :] == free.said[at + 1 : -1]
    assert forced.right == pytest.approx(word_chances(model, [(source, target)])[0], abs=1e-6)
    assert free.right[: at + 1] == pytest.approx(forced.right[: at + 1], abs=1e-6)
    # What is fed in is what decides: the free run is a plain pass over the words it heard.
    batch = Batch.of([source], [free.heard[1:]], [0])
    memory = model.encode(batch.source)
    p_TV = model.logits(model.decode(memory, batch.target_in_BT), memory)[0].softmax(-1).detach()
    assert free.right == pytest.approx([float(p_TV[t, word]) for t, word in enumerate([*target, EOS])], abs=1e-6)


def test_an_error_at_the_end_leaves_nothing_to_hear(model):
    (source, target) = PAIRS[0]
    forced, free = derail(model, source, target, len(target), 5)
    assert free == forced
