"""Hard attention: draws, their log-probabilities, and two gradients that agree with the soft one in expectation."""

import pytest
import torch

from jumok.attention import build
from jumok.attention.normalise import Hard, Softmax
from jumok.errors import UnknownNameError
from tests.attention.conftest import Q


def test_one_position_and_its_log_probability(make, tensors):
    query, keys, values = tensors()
    attend = make("hard").train()
    torch.manual_seed(0)
    out = attend(query, keys, values)
    assert (out.weights.sum(-1) == 1).all()
    assert ((out.weights == 0) | (out.weights == 1)).all()
    chosen = out.weights.argmax(-1, keepdim=True)
    torch.testing.assert_close(out.log_prob, out.scores.log_softmax(-1).gather(-1, chosen).squeeze(-1))


def test_decoding_takes_the_best_position(make, tensors):
    query, keys, values = tensors()
    out = make("hard")(query, keys, values)
    assert (out.weights.argmax(-1) == out.scores.argmax(-1)).all()


def test_decoding_by_expectation_is_soft_attention(make, tensors):
    query, keys, values = tensors()
    hard, soft = make("hard", decode="expected"), make("bahdanau")
    soft.load_state_dict(hard.state_dict())
    given, wanted = hard(query, keys, values), soft(query, keys, values)
    torch.testing.assert_close(given.weights, wanted.weights)
    torch.testing.assert_close(given.context, wanted.context)
    drawn = hard.train()(query, keys, values)
    assert ((drawn.weights == 0) | (drawn.weights == 1)).all()


def test_an_unknown_way_of_decoding_is_refused():
    with pytest.raises(UnknownNameError, match=r"Unknown decode 'expect'.*did you mean 'expected'"):
        Hard(decode="expect")


def test_draws_follow_the_softmax():
    """Frequencies of 40,000 draws lie within five standard errors of the probabilities."""
    torch.manual_seed(3)
    scores = torch.tensor([0.3, -1.0, 1.2, 0.0], dtype=torch.float64)
    n = 40_000
    drawn = Hard().train().normalise(scores.expand(1, n, 4)).weights.mean((0, 1))
    p = scores.softmax(-1)
    assert ((drawn - p).abs() < 5 * (p * (1 - p) / n).sqrt()).all()


def test_score_function_gradient_equals_the_soft_gradient_in_expectation():
    """For a loss linear in the context, E[R · ∂ log p] = ∂ (softmax · r).

    R = r_i for the position drawn; 200,000 draws; each coordinate within five standard errors of its mean.
    """
    torch.manual_seed(11)
    n = 200_000
    scores = torch.tensor([0.5, -0.7, 0.1, 1.1, -0.2], dtype=torch.float64)
    reward = torch.tensor([1.0, -2.0, 0.5, 0.3, 3.0], dtype=torch.float64)
    leaf = scores.clone().requires_grad_()
    exact = torch.autograd.grad((Softmax()(leaf.expand(1, 1, 5)) * reward).sum(), leaf)[0]
    many = scores.expand(1, n, 5).clone().requires_grad_()
    drawn = Hard().train().normalise(many)
    R = (drawn.weights * reward).sum(-1)
    per_draw = torch.autograd.grad((R.detach() * drawn.log_prob).sum(), many)[0][0]
    error = per_draw.std(0) / n**0.5
    assert ((per_draw.mean(0) - exact).abs() < 5 * error).all()
    assert (5 * error < 0.02).all()  # the bound means something: it is far below the gradient's size


def test_a_baseline_keeps_the_mean_and_lowers_the_variance():
    torch.manual_seed(12)
    n = 50_000
    scores = torch.tensor([0.5, -0.7, 0.1], dtype=torch.float64)
    reward = torch.tensor([5.0, 6.0, 5.5], dtype=torch.float64)
    many = scores.expand(1, n, 3).clone().requires_grad_()
    drawn = Hard().train().normalise(many)
    R = (drawn.weights * reward).sum(-1)

    def gradient(b):
        return torch.autograd.grad(((R - b).detach() * drawn.log_prob).sum(), many, retain_graph=True)[0][0]

    without, baseline = gradient(0.0), gradient(R.mean())
    torch.testing.assert_close(without.mean(0), baseline.mean(0), atol=0.1, rtol=0)
    assert (baseline.var(0) < 0.05 * without.var(0)).all()


def test_straight_through_gradient_reaches_the_scores():
    torch.manual_seed(1)
    attend = build("hard", query_dim=Q, key_dim=Q, estimator="gumbel").train()
    query, keys = torch.randn(2, 3, Q), torch.randn(2, 5, Q)
    out = attend(query, keys)
    assert ((out.weights.detach().round() - out.weights.detach()).abs() < 1e-6).all()
    out.context.square().sum().backward()
    assert attend.score.W_q.grad.abs().max() > 0
