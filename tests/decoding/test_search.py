"""Laws of search on a model small enough to enumerate."""

import random

import numpy as np
import pytest
import torch

from jumok.decoding.beam_search import beam_search
from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import greedy
from jumok.decoding.hypothesis import Keep
from jumok.decoding.scoring import Scoring, coverage_penalty
from jumok.errors import InputError
from jumok.shapes import BOS, EOS, PAD
from tests.decoding.toy import ToyModel, batch_of, every_output, log_prob_of

SOURCES = [[5, 7, 11, 3], [4, 3], [9, 9, 6, 8, 10, 3], [12, 5, 3]]
SCORINGS = [Scoring("none"), Scoring("gnmt", 0.6), Scoring("gnmt", 1.0), Scoring("power", 1.3), Scoring("gnmt", -0.5)]


def search(model, sources, longest, **options):
    ids, mask = batch_of(sources)
    limits = Rules.lengths([longest] * len(sources))
    with torch.inference_mode():
        return beam_search(model, model.encode(ids, mask), mask, options.pop("rules", limits), **options)


def walk(model, sources, longest, **options):
    ids, mask = batch_of(sources)
    limits = Rules.lengths([longest] * len(sources))
    with torch.inference_mode():
        return greedy(model, model.encode(ids, mask), mask, options.pop("rules", limits), **options)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_beam_of_one_is_greedy(seed, scoring):
    model = ToyModel(13, seed=seed)
    one = search(model, SOURCES, 11, beam=1, scoring=scoring).best
    for beam, path in zip(one, walk(model, SOURCES, 11, scoring=scoring), strict=True):
        assert beam[0].ids == path.ids
        assert beam[0].score == pytest.approx(path.score)
        assert beam[0].log_prob == pytest.approx(path.log_prob)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scoring", SCORINGS)
def test_full_width_is_exhaustive_search(seed, scoring):
    model = ToyModel(6, seed=seed)
    sources = [[5, 4, 5, 3], [4, 3]]
    # 3 words may be written, up to 4 of them: 3^5 rows at most.
    found = search(model, sources, 4, beam=243, nbest=7, scoring=scoring).best
    for source, best in zip(sources, found, strict=True):
        expected = every_output(model, source, 4, scoring)[:7]
        assert [h.ids for h in best] == [tokens for _, tokens in expected]
        assert [h.score for h in best] == pytest.approx([score for score, _ in expected], abs=1e-9)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("beam", [2, 5])
def test_stopping_early_loses_nothing(scoring, beam, monkeypatch):
    sources = [[random.Random(n).randrange(4, 13) for _ in range(1 + n % 6)] + [3] for n in range(40)]
    model = ToyModel(13, seed=1)
    early = search(model, sources, 12, beam=beam, scoring=scoring, nbest=2).best
    monkeypatch.setattr(Scoring, "bound", lambda self, log_prob, length, longest: torch.zeros_like(log_prob))
    late = search(model, sources, 12, beam=beam, scoring=scoring, nbest=2).best
    assert [[h.ids for h in best] for best in early] == [[h.ids for h in best] for best in late]


@pytest.mark.parametrize("beam", [1, 3, 7])
def test_batch_mates_change_nothing(beam):
    model = ToyModel(13, seed=2)
    together = search(model, SOURCES, 11, beam=beam, nbest=min(beam, 3)).best
    for source, best in zip(SOURCES, together, strict=True):
        alone = search(model, [source], 11, beam=beam, nbest=min(beam, 3)).best[0]
        assert [h.ids for h in alone] == [h.ids for h in best]
        assert [h.score for h in alone] == pytest.approx([h.score for h in best], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_scores_and_attention_are_those_of_stepping_through_the_output(seed):
    model = ToyModel(13, seed=seed)
    keep = Keep(layer=0, heads=(0,), everything=True)
    paths = [[path] for path in walk(model, SOURCES, 9, keep=keep)]
    for found in (search(model, SOURCES, 9, beam=6, nbest=6, keep=keep).best, paths):
        for source, best in zip(SOURCES, found, strict=True):
            for hypothesis in best:
                log_prob, looked = log_prob_of(model, source, hypothesis.ids)
                assert hypothesis.log_prob == pytest.approx(log_prob, abs=1e-9)
                assert sum(hypothesis.token_log_probs) == pytest.approx(log_prob, abs=1e-9)
                assert len(hypothesis.token_log_probs) == len(hypothesis.ids) + 1
                cross_HTS = torch.stack(looked, dim=1).numpy()
                np.testing.assert_allclose(hypothesis.attention.cross[0], cross_HTS, atol=1e-6)
                np.testing.assert_allclose(hypothesis.cross_TS, cross_HTS[0], atol=1e-6)
                steps = len(hypothesis.ids) + 1
                assert hypothesis.attention.decoder[0].shape == (2, steps, steps)
                np.testing.assert_allclose(hypothesis.attention.decoder[0].sum(-1), 1.0, atol=1e-6)
                assert np.triu(hypothesis.attention.decoder[0][0], 1).max(initial=0.0) == 0.0


def test_the_order_of_outputs_is_that_of_inputs():
    model = ToyModel(13, seed=4)
    backwards = [h[0].ids for h in search(model, SOURCES[::-1], 9, beam=4).best]
    assert backwards[::-1] == [h[0].ids for h in search(model, SOURCES, 9, beam=4).best]


def test_wider_beams_never_score_lower_than_what_greedy_finds_here():
    model = ToyModel(13, seed=5)
    paths = walk(model, SOURCES, 9, scoring=Scoring("none"))
    full = search(model, SOURCES, 9, beam=200, scoring=Scoring("none")).best
    assert all(best[0].score >= path.score - 1e-6 for best, path in zip(full, paths, strict=True))


def test_lengths_stay_within_their_limits():
    model = ToyModel(13, seed=6)
    limits = Rules(torch.tensor([2, 5, 7, 3]), torch.tensor([2, 4, 1, 3]))
    for best in (
        search(model, SOURCES, 0, beam=5, nbest=2, rules=limits).best,
        [[h] for h in walk(model, SOURCES, 0, rules=limits)],
    ):
        for hypotheses, least, most in zip(best, (2, 4, 1, 3), (2, 5, 7, 3), strict=True):
            for hypothesis in hypotheses:
                assert least <= len(hypothesis.ids) <= most
                assert not {PAD, BOS, EOS} & set(hypothesis.ids)
                assert hypothesis.truncated == (len(hypothesis.ids) == most)
    with pytest.raises(InputError, match="min_length"):
        Rules(torch.tensor([2]), torch.tensor([3]))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_ngram_comes_twice(n):
    model = ToyModel(17, seed=7, sharpness=4.0)
    limits = Rules(torch.tensor([12] * 4), torch.tensor([12] * 4), no_repeat=n, allow_unknown=False)
    repeats = 0
    for rules, allowed in ((limits, False), (Rules(limits.max_length_B, limits.min_length_B), True)):
        for best in search(model, SOURCES, 0, beam=4, rules=rules).best:
            grams = [best[0].ids[i : i + n] for i in range(len(best[0].ids) - n + 1)]
            repeats += len(grams) > len(set(grams))
            assert allowed or len(grams) == len(set(grams))
    assert repeats > 0  # without the rule there are some


def test_repeats_are_allowed_where_nothing_else_is_left():
    model = ToyModel(6, seed=0)
    rules = Rules(torch.tensor([5]), torch.tensor([5]), no_repeat=1, allow_unknown=False)
    assert len(search(model, [[4, 3]], 0, beam=2, rules=rules).best[0][0].ids) == 5


@pytest.mark.parametrize("beam", [1, 4])
def test_a_forced_prefix_stands_first_and_costs_what_the_model_says(beam):
    model = ToyModel(13, seed=8)
    prefixes = [(7, 7, 12), (), (1,), (5, 4)]
    rules = Rules(torch.tensor([9] * 4), torch.tensor([0] * 4), prefixes=prefixes, allow_unknown=False)
    for source, prefix, best in zip(
        SOURCES, prefixes, search(model, SOURCES, 0, beam=beam, rules=rules).best, strict=True
    ):
        assert best[0].ids[: len(prefix)] == prefix
        assert best[0].log_prob == pytest.approx(log_prob_of(model, source, best[0].ids)[0], abs=1e-9)


def test_length_and_coverage_penalties_by_hand():
    gnmt, power = Scoring("gnmt", 0.5), Scoring("power", 2.0)
    assert float(gnmt.length_penalty(torch.tensor(19))) == pytest.approx(2.0)  # ((5 + 19) / 6)^0.5
    assert float(power.length_penalty(torch.tensor(3))) == pytest.approx(9.0)
    assert float(gnmt.score(torch.tensor(-6.0), torch.tensor(19))) == pytest.approx(-3.0)
    # Wu et al.: 0.2 · (log 0.5 + log min(1.6, 1) + log 0.25); the last position is padding.
    covered = torch.tensor([[0.5, 1.6, 0.25, 0.0]])
    mask = torch.tensor([[True, True, True, False]])
    assert float(coverage_penalty(covered, mask, 0.2)) == pytest.approx(0.2 * float(np.log(0.5) + np.log(0.25)))


def test_the_coverage_penalty_ranks_by_what_was_looked_at():
    model = ToyModel(13, seed=9)
    scoring = Scoring("gnmt", 0.6, coverage=0.4)
    for source, best in zip(SOURCES, search(model, SOURCES, 7, beam=5, nbest=5, scoring=scoring).best, strict=True):
        for hypothesis in best:
            log_prob, looked = log_prob_of(model, source, hypothesis.ids)
            attended = torch.stack(looked).mean(dim=1).sum(dim=0)
            penalty = 0.4 * float(attended.clamp(max=1.0).log().sum())
            length = float(scoring.length_penalty(torch.tensor(len(hypothesis.ids) + 1)))
            assert hypothesis.score == pytest.approx(log_prob / length + penalty, abs=1e-9)
        assert [h.score for h in best] == sorted((h.score for h in best), reverse=True)


def test_the_tree_holds_the_whole_search():
    model = ToyModel(13, seed=10)
    found = search(model, SOURCES, 8, beam=4, nbest=2, tree=True)
    for source, best, tree in zip(SOURCES, found.best, found.trees, strict=True):
        path = tree.path(tree.best)
        assert tuple(node.token for node in path) == (*best[0].ids, EOS)
        assert path[-1].score == pytest.approx(best[0].score)
        assert sum(node.token_log_prob for node in path) == pytest.approx(best[0].log_prob, abs=1e-6)
        by_step = {}
        for node in tree.nodes[1:]:
            parent = tree.nodes[node.parent]
            assert parent.state == "kept"
            assert parent.step == node.step - 1
            assert node.log_prob == pytest.approx(parent.log_prob + node.token_log_prob)
            by_step.setdefault(node.step, []).append(node)
            tokens = tuple(n.token for n in tree.path(node.id))
            if node.state == "finished":
                assert node.log_prob == pytest.approx(log_prob_of(model, source, tokens[:-1])[0], abs=1e-9)
        for nodes in by_step.values():
            places = [node.log_prob for node in nodes if node.state != "pruned"]
            pruned = [node.log_prob for node in nodes if node.state == "pruned"]
            assert len(places) <= 4
            assert not pruned or min(places) >= max(pruned)
        assert any(node.state == "pruned" for node in tree.nodes)


def test_more_than_the_beam_holds_cannot_be_asked_for():
    with pytest.raises(InputError, match="raise the beam"):
        search(ToyModel(7), [[4, 3]], 3, beam=2, nbest=3)
