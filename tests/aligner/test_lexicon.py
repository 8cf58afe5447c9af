"""The lexicon's quick nodes against the plain formulas."""

import torch

from jumok.aligner.lexicon import SpelledWords, log_normaliser


def test_log_normaliser_is_logsumexp():
    torch.manual_seed(0)
    x, y, bias = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 5), (7, 5), (7,)))
    torch.testing.assert_close(log_normaliser(x, y, bias), (x @ y.T + bias).logsumexp(-1))
    assert torch.autograd.gradcheck(log_normaliser, (x, y, bias))


def test_large_logits_do_not_overflow():
    x, y = torch.full((2, 1), 300.0), torch.tensor([[1.0], [-1.0], [1.0]])
    torch.testing.assert_close(log_normaliser(x, y, torch.zeros(3)), torch.full((2,), 300.0) + torch.tensor(2.0).log())


def test_some_words_are_rows_of_every_word_with_the_same_gradient():
    torch.manual_seed(0)
    words = SpelledWords(["logos", "logou", "logon", "anthropos"], 5, spelled=True).double()
    chosen = torch.tensor([2, 0, 2, 3])
    weight = torch.randn(4, 5, dtype=torch.float64)
    (some,) = torch.autograd.grad((words(chosen) * weight).sum(), words.vectors)
    (every,) = torch.autograd.grad((words.every()[chosen] * weight).sum(), words.vectors)
    torch.testing.assert_close(words(chosen), words.every()[chosen])
    torch.testing.assert_close(some, every)


def test_forms_of_a_word_begin_close_to_each_other():
    torch.manual_seed(0)
    vectors = SpelledWords(["anthropos", "anthropou", "basileia"], 64, spelled=True).every()
    cosine = torch.nn.functional.cosine_similarity
    assert cosine(vectors[0], vectors[1], dim=0) > cosine(vectors[0], vectors[2], dim=0) + 0.3
