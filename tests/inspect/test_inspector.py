"""The inspector shows the decoding that is done, an edit changes what it says, and a sentence is encoded once."""

import numpy as np
import pytest

from jumok.decoding.options import Options
from jumok.decoding.torch_engine import TorchEngine
from jumok.decoding.translator import Translator
from jumok.errors import InputError
from jumok.inspect.what_if import Begin, Erase, Force, Plan, SetWeights, plan_edits
from tests.decoding.conftest import KINDS
from tests.decoding.tiny_run import DEV

SOURCE = DEV[3][0]
ATTENDING = [kind for kind in KINDS if kind != "none"]


def written(inspector, text=SOURCE):
    """The plan of a sentence and its greedy translation."""
    plan = Plan(inspector.read(text))
    return plan, inspector.search(plan, beam=1).best[0].ids


@pytest.mark.parametrize("kind", KINDS)
def test_a_replay_is_the_greedy_translation(inspectors, kind):
    inspector = inspectors[kind]
    own = Translator([TorchEngine([inspector.run])]).translate(
        SOURCE, options=Options(beam=1, attention=True, unknown="keep")
    )
    plan, ids = written(inspector)
    done = inspector.replay(plan, ids)
    assert ids == own.ids
    assert done.log_probs == pytest.approx(own.token_log_probs, abs=1e-9)
    for mine, theirs in zip(done.cross, own.attention.cross, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_a_row_of_the_replay(inspectors, kind):
    inspector = inspectors[kind]
    plan, ids = written(inspector)
    done = inspector.replay(plan, ids)
    for t in (0, 2):
        step = inspector.step(plan, ids[:t])
        np.testing.assert_allclose(step.log_prob_V.numpy(), done.log_prob_TV[t].numpy(), atol=1e-9)
        for layer, weights in enumerate(done.cross):
            look = step.look(layer)
            np.testing.assert_allclose(np.atleast_2d(look.weights), weights[:, t], atol=1e-9)
            summed = look.terms["heads"].value if "heads" in look.terms else look.context
            np.testing.assert_allclose(look.alignment.sum(-2), summed, atol=1e-9)


@pytest.mark.parametrize("kind", ATTENDING)
def test_the_record_names_every_axis(inspectors, kind):
    """Sizes come from what an axis is called, and nothing of the batch is left."""
    inspector = inspectors[kind]
    plan, ids = written(inspector)
    look = inspector.step(plan, ids[:1]).look(-1)
    sizes = {"source": plan.sentence.width, "head": inspector.heads(-1), "target": 1}
    for name, term in look.terms.items():
        assert term.value.ndim == len(term.axes), name
        assert all(sizes.get(axis, size) == size for axis, size in zip(term.axes, term.value.shape, strict=True)), name
    assert look.terms["weights"].axes[-1] == "source"


def test_imposed_weights_are_used_as_given(inspectors):
    inspector = inspectors["bahdanau"]
    plan, ids = written(inspector)
    plain = inspector.replay(plan, ids)
    first = np.eye(plan.sentence.width)[0]
    changed = inspector.replay(plan_edits(inspector, plan.sentence, [SetWeights(2, first.tolist())], ids), ids)
    np.testing.assert_allclose(changed.cross[0][0, 2], first)
    assert changed.log_probs[:2] == pytest.approx(plain.log_probs[:2], abs=1e-9)
    assert changed.log_probs[2] != pytest.approx(plain.log_probs[2], abs=1e-6)
    own = plan_edits(inspector, plan.sentence, [SetWeights(2, plain.cross[0][0, 2].tolist())], ids)
    assert inspector.replay(own, ids).log_prob == pytest.approx(plain.log_prob, abs=1e-9)


@pytest.mark.parametrize("kind", ATTENDING)
def test_a_hidden_word_gets_no_weight(inspectors, kind):
    inspector = inspectors[kind]
    plan, ids = written(inspector)
    hidden = inspector.replay(plan_edits(inspector, plan.sentence, [Erase(1, "mask")], ids), ids)
    places = [place for place, word in enumerate(plan.sentence.layout.unit_of_position) if word == 1]
    for layer in hidden.cross:
        assert float(layer[..., places].max()) == 0.0
        np.testing.assert_allclose(layer.sum(-1), 1.0, atol=1e-9)
    assert hidden.log_prob != pytest.approx(inspector.replay(plan, ids).log_prob, abs=1e-6)
    with pytest.raises(InputError, match="there is no word 99"):
        plan.sentence.without(99, "mask")


def test_forced_words_are_written_first(inspectors):
    inspector = inspectors["transformer"]
    plan, ids = written(inspector)
    forced = tuple(inspector.run.target_tokenizer.encode("le chat"))
    begun = plan_edits(inspector, plan.sentence, [Begin(forced)], ids)
    assert inspector.search(begun, beam=2).best[0].ids[: len(forced)] == forced
    other = next(token for token in forced if token != ids[1])
    one = plan_edits(inspector, plan.sentence, [Force(1, other)], ids)
    assert inspector.search(one, beam=2).best[0].ids[:2] == (ids[0], other)


@pytest.mark.parametrize("kind", ["bahdanau", "transformer"])
def test_effects_are_differences_of_forced_scores(inspectors, kind):
    inspector = inspectors[kind]
    translator = Translator([TorchEngine([inspector.run])])
    words, target = SOURCE.split(), DEV[3][1]
    ids = inspector.run.target_tokenizer.encode(target)
    effects = inspector.effects(inspector.replay(Plan(inspector.read(SOURCE)), ids))
    assert effects.shape == (len(ids) + 1, len(words))
    without = " ".join(words[:2] + words[3:])
    whole, less = (translator.score([(source, target)])[0].token_log_probs for source in (SOURCE, without))
    np.testing.assert_allclose(effects[:, 2], np.array(whole) - np.array(less), atol=1e-9)


def test_a_sentence_is_encoded_once_however_much_is_asked(inspectors, monkeypatch):
    inspector = inspectors["luong"]
    encode, calls = inspector.model.encode, []
    monkeypatch.setattr(inspector.model, "encode", lambda *given, **named: calls.append(1) or encode(*given, **named))
    plan, ids = written(inspector, DEV[7][0])
    done = inspector.replay(plan, ids)
    inspector.step(plan, ids[:2])
    masked = plan_edits(inspector, plan.sentence, [Erase(0, "mask")], ids)
    inspector.search(masked, beam=2)
    inspector.effects(done, "mask")
    assert len(calls) == 1
    inspector.effects(done, "remove")  # every sentence without one of its words, together
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda one: one.read(None), "the text must be a text, not None"),
        (lambda one: one.read(b"Who?"), "bytes"),
        (lambda one: one.read("  "), "There is no word in the text"),
        (lambda one: one.replay(Plan(one.read("Who?")), [10**6]), "a target token must be from 0 to"),
        (lambda one: one.replay(Plan(one.read("Who?")), [-1]), "a target token must be from 0"),
        (lambda one: one.replay(Plan(one.read("Who?")), "Qui"), "a list of token numbers, not 'Qui'"),
        (lambda one: one.check_tokens([2]), r"The token 2 \(<s>\) cannot be written"),
        (lambda one: one.layer(4), "There is no layer 4; the decoder has 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(inspectors, ask, match):
    with pytest.raises(InputError, match=match):
        ask(inspectors["bahdanau"])
