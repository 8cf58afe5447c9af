"""What is asked of attention itself: an even share for all, rewards that reach back, and entropy that is kept up."""

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.errors import ConfigError
from jumok.models.build import build_model
from jumok.tasks.translation.objective import objective_of
from jumok.training.loss import doubly_stochastic_loss, reinforce_loss

B, H, T, S = 2, 3, 5, 7
MASK_BT = torch.tensor([[True] * T, [True] * 3 + [False] * 2])
SIZES = ("model.encoder.size=12", "model.decoder.size=12", "model.embedding=12", "model.dropout=0")


def weights_BHTS() -> torch.Tensor:
    generator = torch.Generator().manual_seed(4)
    return torch.randn(B, H, T, S, generator=generator, dtype=torch.float64).softmax(-1)


def test_the_doubly_stochastic_loss_is_the_sum_of_the_paper():
    given, expected = weights_BHTS(), 0.0
    for b in range(B):
        for h in range(H):
            for i in range(S):
                looked = sum(float(given[b, h, t, i]) for t in range(T) if MASK_BT[b, t])
                expected += (1 - looked) ** 2 / H
    assert float(doubly_stochastic_loss(given, MASK_BT)) == pytest.approx(expected, abs=1e-12)
    once_each = torch.eye(4)[None, None]
    assert float(doubly_stochastic_loss(once_each, torch.ones(1, 4, dtype=torch.bool))) == 0


def test_its_gradient_is_right_and_words_of_padding_have_none():
    given = weights_BHTS().requires_grad_()
    assert torch.autograd.gradcheck(lambda weights: doubly_stochastic_loss(weights, MASK_BT), given)
    doubly_stochastic_loss(given, MASK_BT).backward()
    assert given.grad is not None
    assert (given.grad[1, :, 3:] == 0).all()
    assert (given.grad[1, :, :3] != 0).any()


def test_a_draw_is_rewarded_with_its_word_and_all_later_ones():
    generator = torch.Generator().manual_seed(6)
    nll_BT, baseline = torch.rand(B, T, generator=generator) * 3, -1.5
    log_prob_BT = (-torch.rand(B, T, generator=generator)).requires_grad_()
    reinforce_loss(log_prob_BT, nll_BT, MASK_BT, baseline).backward()
    expected_BT = torch.zeros(B, T)
    for b in range(B):
        for t in range(int(MASK_BT[b].sum())):
            expected_BT[b, t] = -sum(-float(nll_BT[b, later]) - baseline for later in range(t, T) if MASK_BT[b, later])
    torch.testing.assert_close(log_prob_BT.grad, expected_BT)


def test_the_reward_is_a_number_and_no_way_for_a_gradient():
    nll_BT = torch.rand(B, T).requires_grad_()
    log_prob_BT = torch.rand(B, T).requires_grad_()
    loss = reinforce_loss(log_prob_BT, nll_BT, MASK_BT, 0.0)
    assert torch.autograd.grad(loss, nll_BT, allow_unused=True) == (None,)


def test_entropy_of_the_draws_lowers_the_loss():
    keys = ["model.decoder.attention=hard", *SIZES]
    batch = Batch.of([[5, 7, 8, 7], [9, 6]], [[7, 12, 9], [8]], [0, 1])
    torch.manual_seed(3)
    model = build_model(resolve({}, keys).model, 20, 20).train()  # pyright: ignore

    def total(entropy: float) -> torch.Tensor:
        torch.manual_seed(5)  # the same draws
        settings = resolve({}, [*keys, f"train.entropy={entropy}"]).train
        return objective_of(settings)(model, batch, 1, torch.Generator(), {}).total

    torch.manual_seed(5)
    decoded = model.decode(model.encode(batch.source), batch.target_in_BT)
    assert decoded.entropy_BT is not None
    entropy = (decoded.entropy_BT * batch.target_mask_BT).sum()
    assert float(entropy.detach()) > 1
    torch.testing.assert_close(total(0.3) - total(0.0), -0.3 * entropy)


OPTIONS = "model.decoder.attention_options"


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ([f"{OPTIONS}.temperature=0.5"], "temperature of hard attention is for estimator=gumbel"),
        ([f"{OPTIONS}.estimator=gumbel", f"{OPTIONS}.expected=0.5"], "expected of hard attention is for"),
        (["train.doubly_stochastic=1"], r"train\.doubly_stochastic has no gradient through draws"),
        (["train.coverage_loss=1"], r"train\.coverage_loss has no gradient through draws"),
        (["train.guided_alignment=1"], r"train\.guided_alignment has no gradient through draws"),
    ],
)
def test_what_would_change_nothing_about_draws_is_refused(keys, refused):
    config = resolve({}, ["model.decoder.attention=hard", *SIZES, *keys])
    model = build_model(config.model, 20, 20)  # pyright: ignore
    with pytest.raises(ConfigError, match=refused):
        objective_of(config.train).check_effect(model)


@pytest.mark.parametrize(
    "keys",
    [
        [f"{OPTIONS}.estimator=gumbel", f"{OPTIONS}.temperature=0.5", "train.doubly_stochastic=1"],
        [f"{OPTIONS}.expected=0.5", "train.doubly_stochastic=1"],
        [f"{OPTIONS}.expected=0.5", "train.coverage_loss=1"],
    ],
)
def test_what_changes_something_about_draws_reaches_the_scores(keys):
    config = resolve({}, ["model.decoder.attention=hard", *SIZES, "train.reinforce=0", *keys])
    torch.manual_seed(2)
    model = build_model(config.model, 20, 20).train()  # pyright: ignore
    objective = objective_of(config.train)
    objective.check_effect(model)
    memory = model.encode(Batch.of([[5, 7, 8, 7]], [[7, 12, 9]], [0]).source)
    decoded = model.decode(memory, torch.tensor([[2, 7, 12, 9]]), need_weights=True)
    (weights_BHTS,) = decoded.attention.cross
    doubly_stochastic_loss(weights_BHTS, torch.ones(1, 4, dtype=torch.bool)).backward()
    gradients = [part.grad for name, part in model.named_parameters() if "score" in name and part.grad is not None]
    assert any(bool((gradient != 0).any()) for gradient in gradients)
