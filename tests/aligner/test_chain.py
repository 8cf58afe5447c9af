"""The recursion against the sum it stands for: every alignment of tiny sentences, one by one."""

from itertools import product

import pytest
import torch

from jumok.aligner.chain import Chain, log_likelihood, posteriors
from tests.rounding import assert_rounded, exact


def random_parts(seed: int, T: int, S: int, *, batch: int = 1):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=generator, dtype=torch.float64)

    emit, null_word = draw(batch, T, S).log(), draw(batch, T).log()
    jump, start = draw(batch, S, S).softmax(-1), draw(batch, S).softmax(-1)
    null, mask = torch.tensor(0.3, dtype=torch.float64), torch.ones(batch, T, dtype=torch.bool)
    return Chain(emit, null_word, jump, start, null, mask)


def enumerate_alignments(emit, null_word, jump, start, null):
    """Σ over all positions and coins of the joint probability, and the share of each link."""
    T, S = emit.shape
    total, links = 0.0, torch.zeros(T, S, dtype=torch.float64)
    for path in product(range(S), repeat=T):
        for coins in product((False, True), repeat=T):
            probability, stands = 1.0, True
            for j, (i, from_null) in enumerate(zip(path, coins, strict=True)):
                if from_null:
                    stands &= j == 0 or path[j - 1] == i
                    probability *= null * null_word[j].exp() * (start[i] if j == 0 else 1.0)
                else:
                    probability *= (1 - null) * (start[i] if j == 0 else jump[path[j - 1], i]) * emit[j, i].exp()
            if stands:
                total += probability
                for j, (i, from_null) in enumerate(zip(path, coins, strict=True)):
                    links[j, i] += 0.0 if from_null else probability
    return total, links / total


@pytest.mark.parametrize(("T", "S"), [(1, 1), (1, 3), (3, 1), (3, 2), (4, 3)])
def test_the_recursion_is_the_sum_over_all_alignments(T, S):
    parts = random_parts(7 * T + S, T, S)
    emit, null_word, jump, start, null, _ = parts
    total, links = enumerate_alignments(emit[0], null_word[0], jump[0], start[0], null)
    torch.testing.assert_close(log_likelihood(parts)[0], torch.as_tensor(total).log())
    torch.testing.assert_close(posteriors(parts)[0], links)


def test_gradients_of_every_part():
    emit, null_word, jump, start, null, mask = random_parts(5, 3, 2, batch=2)
    mask[1, 2] = False
    leaves = [part.clone().requires_grad_() for part in (emit, null_word, jump, start, null)]
    assert torch.autograd.gradcheck(lambda *given: log_likelihood(Chain(*given, mask_BT=mask)), leaves)


def test_padding_and_batch_mates_change_nothing():
    emit, null_word, jump, start, null, mask = whole = random_parts(11, 5, 3, batch=2)
    single = Chain(emit[:1, :4, :2], null_word[:1, :4], jump[:1, :2, :2], start[:1, :2], null, mask[:1, :4])
    alone, weights = log_likelihood(single), posteriors(single)
    emit[0, :, 2], jump[0, :, 2], start[0, 2], mask[0, 4] = -1e4, 0.0, 0.0, False
    torch.testing.assert_close(log_likelihood(whole)[:1], alone)
    padded = posteriors(whole)[0]
    torch.testing.assert_close(padded[:4, :2], weights[0])
    assert padded[4].eq(0).all()
    assert padded[:, 2].eq(0).all()


def test_rows_of_attention_and_null_are_a_distribution():
    weights = posteriors(random_parts(13, 7, 5, batch=3))
    assert (weights >= 0).all()
    assert (weights.sum(-1) <= 1 + 1e-9).all()


def test_long_sentences_do_not_underflow():
    emit, null_word, jump, start, null, mask = (part.clone() for part in random_parts(17, 400, 7))
    single = [part.float() for part in (emit - 20, null_word - 20, jump, start, null)]
    expected = exact(lambda: [log_likelihood(Chain(*(part.double() for part in single), mask_BT=mask))])
    assert_rounded([log_likelihood(Chain(*single, mask_BT=mask))], expected)
