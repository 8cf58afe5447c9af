"""Draws follow the distribution, and belong to the sentence alone."""

import pytest
import torch

from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import greedy, one_path
from jumok.decoding.sampling import Sampling, draw, drawing, filtered, sentence_keys, uniform
from jumok.errors import InputError
from tests.decoding.toy import ToyModel, batch_of, log_prob_of

SOURCES = [[5, 7, 11, 3], [4, 3], [9, 9, 6, 8, 10, 3], [12, 5, 3]]


def drawn(model, sources, sampling, longest=9):
    ids, mask = batch_of(sources)
    keys = sentence_keys(sources, [0] * len(sources), sampling.seed)
    rules = Rules.lengths([longest] * len(sources))
    return one_path(model, model.encode(ids, mask), mask, rules, choose=drawing(sampling, keys))


def test_batch_mates_do_not_change_the_draw():
    model = ToyModel(13, seed=3)
    together = drawn(model, SOURCES, Sampling(seed=5))
    for source, hypothesis in zip(SOURCES, together, strict=True):
        alone = drawn(model, [source], Sampling(seed=5))[0]
        assert alone.ids == hypothesis.ids
        assert alone.log_prob == pytest.approx(log_prob_of(model, source, alone.ids)[0], abs=1e-9)
    assert [h.ids for h in together] != [h.ids for h in drawn(model, SOURCES, Sampling(seed=6))]


def test_uniform_numbers_are_uniform_and_unrelated():
    keys = sentence_keys([[n, n + 1] for n in range(20_000)], [0] * 20_000, 1)
    first, second = uniform(keys, 0), uniform(keys, 1)
    assert float(first.min()) >= 0.0
    assert float(first.max()) < 1.0
    counts = torch.histc(first.float(), bins=10, min=0, max=1)
    assert float((counts - 2000).abs().max()) < 200  # about 4.7 standard deviations
    assert abs(float(torch.corrcoef(torch.stack([first, second]))[0, 1])) < 0.03


def test_draws_follow_the_probabilities():
    logits = torch.tensor([0.3, -1.0, 2.0, 0.0, 1.1, -torch.inf, 0.7])
    keys = sentence_keys([[n] for n in range(20_000)], [0] * 20_000, 7)
    tokens = draw(logits.expand(20_000, -1), keys, 3, Sampling(temperature=1.4))
    shares = torch.bincount(tokens, minlength=7) / 20_000
    torch.testing.assert_close(shares, (logits / 1.4).softmax(-1), atol=0.015, rtol=0)


def test_top_k_and_top_p_keep_the_likeliest():
    logits = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()
    kept, tokens = filtered(logits, Sampling(top_k=2))
    torch.testing.assert_close(kept, torch.tensor([[0.625, 0.375]], dtype=torch.float64), atol=1e-6, rtol=0)
    assert tokens.tolist() == [[0, 1]]
    kept, _ = filtered(logits, Sampling(top_p=0.75))  # 0.5 is not enough, 0.5 + 0.3 is
    torch.testing.assert_close(kept, torch.tensor([[0.625, 0.375, 0, 0]], dtype=torch.float64), atol=1e-6, rtol=0)
    assert filtered(logits, Sampling(top_p=0.01))[0].tolist() == [[1.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("sampling", [Sampling(top_k=1), Sampling(top_p=1e-9), Sampling(temperature=1e-4)])
def test_the_narrowest_draw_is_greedy(sampling):
    model = ToyModel(13, seed=4)
    ids, mask = batch_of(SOURCES)
    paths = greedy(model, model.encode(ids, mask), mask, Rules.lengths([9] * 4))
    assert [h.ids for h in drawn(model, SOURCES, sampling)] == [h.ids for h in paths]


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"top_k": -1}, {"top_p": 0}, {"top_p": 1.1}])
def test_senseless_settings_are_refused(bad):
    with pytest.raises(InputError):
        Sampling(**bad)
