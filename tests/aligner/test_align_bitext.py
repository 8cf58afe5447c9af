"""The aligner learns a known alignment from the pairs alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from jumok.aligner import Bitext, Settings, align_bitext, fit, mean_log_likelihood
from jumok.alignment import Links, score_alignments
from jumok.data.phrasebook import generate
from jumok.errors import ConfigError, DataError, InputError, UnknownNameError

QUICK = Settings(size=8, epochs=2, least_steps=1, batch_words=64)
PAIRS = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book"), ("", "x"), ("y .", "")]


def test_it_learns_the_alignment_of_the_phrasebook():
    examples = list(generate("en-fr", size=600))
    aligned = align_bitext(
        [(example.source, example.target) for example in examples], Settings(size=32, least_steps=150, batch_words=512)
    )
    gold = [Links(frozenset(example.links)) for example in examples]
    assert score_alignments(aligned.links(), gold).aer < 0.2


def test_the_same_seed_gives_the_same_numbers_and_leaves_the_generator_alone():
    torch.manual_seed(3)
    one = align_bitext(PAIRS, QUICK)
    drawn = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(torch.rand(1), drawn)
    torch.manual_seed(4)
    two = align_bitext(PAIRS, QUICK)
    for a, b in zip(one.forward + one.backward, two.forward + two.backward, strict=True):
        assert np.array_equal(a, b)


def test_every_pair_has_its_matrices_in_its_place():
    aligned = align_bitext(PAIRS, QUICK)
    assert [weights.shape for weights in aligned.forward] == [(2, 2), (2, 2), (2, 2), (1, 0), (0, 2)]
    assert [weights.shape for weights in aligned.backward] == [weights.shape for weights in aligned.forward]
    for method in ("consensus", "forward", "backward", "union", "grow-diag"):
        assert aligned.links(method)[3:] == [[], []]
    for weights in aligned.forward[:3]:
        assert (weights.sum(axis=1) <= 1 + 1e-5).all()


def test_punctuation_comes_from_punctuation_or_nothing():
    aligned = align_bitext([("a b .", "A , B !")] * 3, QUICK)
    weights = aligned.forward[0]
    assert weights[1, :2].max() == 0.0
    assert weights[0, 2] == 0.0
    together = align_bitext([("a b .", "A , B !")] * 3, replace(QUICK, marks_apart=False))
    assert together.forward[0][1, :2].max() > 0.0


def test_batches_hold_every_pair_once():
    bitext = Bitext.of([("a " * (n % 7), "b " * (n % 5)) for n in range(97)])
    numbers = sorted(n for batch in bitext.batches(23, seed=1) for n in batch.numbers)
    assert numbers == [n for n in range(97) if n % 7 and n % 5]
    assert all(batch.target_BT.numel() <= 23 for batch in bitext.batches(23))


def test_likelihood_of_pairs_held_out_rises_with_learning():
    """Pairs of new sentences of known words are likelier after learning than before."""
    bitext = Bitext.of([(example.source, example.target) for example in generate("en-fr", size=300)])
    settings = Settings(size=16, epochs=1, least_steps=1, batch_words=512)
    kept = range(270)
    early = fit(bitext, settings, numbers=kept)
    late = fit(bitext, replace(settings, least_steps=100), numbers=kept)
    held_out = range(270, 300)
    assert mean_log_likelihood(late, bitext, held_out) > mean_log_likelihood(early, bitext, held_out) + 0.1


def test_what_cannot_be_learned_from():
    with pytest.raises(DataError, match="words on both sides"):
        fit(Bitext.of([("", "a"), ("b", "")]))
    with pytest.raises(ConfigError):
        Settings(epochs=0)
    with pytest.raises(UnknownNameError, match="union"):
        align_bitext(PAIRS, QUICK).links("onion")


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: align_bitext(["ab"]), r"pair 1 must be \(source, target\), two texts, not 'ab'"),
        (lambda: align_bitext([("a", None)]), "the target of pair 1 must be a text, not None"),
        (lambda: Settings(learning_rate=float("inf")), "learning_rate must be finite"),
        (lambda: Settings(null=float("nan")), "null must be finite"),
        (lambda: Settings(seed=10**30), "the seed must be from 0"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(call, match):
    with pytest.raises(InputError, match=match):
        call()
