"""A seeded error in attention: its two paths add up, and one update corrects it."""

from dataclasses import replace

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.errors import InputError
from jumok.evaluation.two_paths import Question, look, paths, push_for, updated
from jumok.models.build import build_model

SIZES = ["model.encoder.size=14", "model.decoder.size=10", "model.embedding=12", "model.dropout=0"]
ASKED = Question(source=[5, 6, 7, 8, 9, 10, 11], target=[4, 5, 6, 7, 8], at=3, wrong=2, push=2.5)


def model_of(*overrides, seed=0):
    torch.manual_seed(seed)
    return build_model(resolve({}, [*SIZES, *overrides]).model, 13, 17).eval().double()


@pytest.mark.parametrize("preset", ["rnnsearch", "luong"])
def test_the_two_paths_add_up_to_the_whole_gradient(preset):
    found = paths(model_of(f"model.preset={preset}"), ASKED)
    torch.testing.assert_close(found.weights_SD + found.values_SD, found.whole_SD, atol=1e-12, rtol=1e-9)
    assert float(found.weights_SD.norm()) > 1e-6
    assert float(found.values_SD.norm()) > 1e-6


def test_the_gradient_of_a_score_is_the_finite_difference():
    model = model_of()
    found, tiny = paths(model, ASKED), 1e-5
    losses = [-look(model, replace(ASKED, push=ASKED.push + sign * tiny)).log_prob_V[ASKED.right] for sign in (1, -1)]
    assert float((losses[0] - losses[1]) / (2 * tiny)) == pytest.approx(float(found.scores_S[ASKED.wrong]), rel=1e-6)
    assert float(found.scores_S.sum()) == pytest.approx(0, abs=1e-12)  # softmax: raising all scores changes nothing


def test_without_an_error_the_look_is_the_models_own():
    model = model_of()
    own = look(model, replace(ASKED, push=0.0))
    batch = Batch.of([ASKED.source], [ASKED.target], [0])
    memory = model.encode(batch.source)
    decoded = model.decode(memory, batch.target_in_BT, need_weights=True)
    torch.testing.assert_close(own.weights_S, decoded.attention.cross[0][0, 0, ASKED.at], atol=1e-8, rtol=1e-6)
    log_prob_V = model.logits(decoded, memory)[0, ASKED.at].log_softmax(-1)
    torch.testing.assert_close(own.log_prob_V, log_prob_V, atol=1e-8, rtol=1e-6)


def test_the_push_gives_the_wrong_position_its_share():
    model = model_of()
    own = look(model, replace(ASKED, push=0.0))
    push = push_for(own.weights_S, ASKED.wrong, 0.9)
    assert float(look(model, replace(ASKED, push=push)).weights_S[ASKED.wrong]) == pytest.approx(0.9, abs=1e-6)


def test_a_small_update_makes_the_right_word_likelier_and_leaves_the_model_alone():
    model = model_of()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    after = updated(model, ASKED, 0.05)
    p = [float(look(one, ASKED).log_prob_V[ASKED.right]) for one in (model, after)]
    assert p[1] > p[0]
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_model_with_several_looks_is_refused():
    with pytest.raises(InputError, match="one layer"):
        look(model_of("model.preset=transformer", "model.encoder.size=12", "model.decoder.size=12"), ASKED)
