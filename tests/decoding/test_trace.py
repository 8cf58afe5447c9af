"""Slow motion is the same decoding, and a change changes what it says."""

import numpy as np
import pytest
import torch

from jumok.decoding.options import Options
from jumok.decoding.trace import Change
from jumok.errors import InputError
from jumok.shapes import EOS
from tests.decoding.tiny_run import DEV

SOURCE = DEV[3][0]


@pytest.mark.parametrize("kind", ["bahdanau", "luong", "transformer", "none"])
def test_a_trace_is_the_greedy_translation(translators, kind):
    translator = translators[kind]
    one = translator.translate(SOURCE, options=Options(beam=1, attention=True, unknown="keep"))
    trace = translator.trace(SOURCE, need_terms=True)
    assert trace.ids == one.ids
    assert trace.log_prob == pytest.approx(one.log_prob, abs=1e-9)
    for t, step in enumerate(trace.steps):
        assert step.top[0][1] >= step.top[1][1]
        for layer, weights in enumerate(step.cross):
            np.testing.assert_allclose(weights, one.attention.cross[layer][:, t], atol=1e-6)
    assert ("weights" in trace.steps[0].terms) == (kind != "none")


def test_imposed_weights_are_used_as_given(translators):
    translator = translators["bahdanau"]
    plain = translator.trace(SOURCE)
    width = len(plain.source_ids) + 1
    first = torch.zeros(1, width, dtype=torch.float64)
    first[0, 0] = 1.0
    own = torch.from_numpy(plain.steps[2].cross[0])
    changed = translator.trace(SOURCE, change=Change(forced=plain.ids, overrides={2: first}))
    np.testing.assert_allclose(changed.steps[2].cross[0][0], first[0].numpy())
    assert changed.steps[1].log_prob == pytest.approx(plain.steps[1].log_prob, abs=1e-9)
    assert changed.steps[2].log_prob != pytest.approx(plain.steps[2].log_prob, abs=1e-6)
    same = translator.trace(SOURCE, change=Change(overrides={2: own}))
    assert same.log_prob == pytest.approx(plain.log_prob, abs=1e-5)  # weights are kept in float32


def test_a_hidden_word_gets_no_weight(translators):
    for kind in ("bahdanau", "luong", "transformer"):
        plain = translators[kind].trace(SOURCE)
        hidden = translators[kind].trace(SOURCE, change=Change(blank=[1], forced=(*plain.ids, EOS)))
        for step in hidden.steps:
            for layer in step.cross:
                assert float(layer[:, 1].max()) == 0.0
                np.testing.assert_allclose(layer.sum(-1), 1.0, atol=1e-6)
        assert hidden.log_prob != pytest.approx(plain.log_prob, abs=1e-6)
    with pytest.raises(InputError, match="hidden"):
        translators["luong"].trace(SOURCE, change=Change(blank=[99]))


def test_forced_words_are_written_first(translators):
    translator = translators["transformer"]
    ids = translator.run.target_tokenizer.encode("le chat")
    trace = translator.trace(SOURCE, change=Change(forced=ids))
    assert trace.ids[: len(ids)] == tuple(ids)
    assert [step.forced for step in trace.steps[: len(ids) + 1]] == [True] * len(ids) + [False]


def test_removal_effects_are_differences_of_forced_scores(translators):
    translator = translators["bahdanau"]
    words = SOURCE.split()
    one = translator.translate(SOURCE, options=Options(beam=1, unknown="forbid"))
    effects = translator.removal_effects(SOURCE, one.ids)
    assert effects.shape == (len(one.ids) + 1, len(words))
    without = " ".join(words[:2] + words[3:])
    whole, less = (translator.score([(source, one.text)])[0].token_log_probs for source in (SOURCE, without))
    np.testing.assert_allclose(effects[:, 2], np.array(whole) - np.array(less), atol=1e-9)
