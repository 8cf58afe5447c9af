"""Teacher forcing: the published schedules, coins from one generator, and stepping = the whole pass when forced."""

import math
from copy import deepcopy

import pytest
import torch

from jumok.config import ModelConfig, resolve
from jumok.data.sources import Tokens
from jumok.errors import ConfigError
from jumok.models.build import build_model
from jumok.training.teacher_forcing import free_run, parse, toss
from tests.fitting import fitting
from tests.rounding import assert_rounded, exact


def small_model(preset: str = "rnnsearch") -> ModelConfig:
    sizes = ("model.embedding=12", "model.encoder.size=12", "model.decoder.size=12", "model.dropout=0")
    heads = fitting(["model.encoder.heads=2", "model.decoder.heads=2"], [f"model.preset={preset}"])
    return resolve({}, [f"model.preset={preset}", *sizes, *heads]).model


@pytest.mark.parametrize(
    ("text", "step", "expected"),
    [
        ("always", 10**6, 1.0),
        ("never", 1, 0.0),
        ("0.7", 5, 0.7),
        ("linear:1->0.5@2000", 0, 1.0),
        ("linear:1->0.5@2000", 1000, 0.75),
        ("linear:1->0.5@2000", 9999, 0.5),
        ("exponential:0.999", 700, 0.999**700),
        ("inverse_sigmoid:500", 1300, 500 / (500 + math.exp(1300 / 500))),
        ("inverse_sigmoid:500", 10**9, 0.0),
        ("switch:1000", 1000, 1.0),
        ("switch:1000", 1001, 0.0),
    ],
)
def test_probabilities_follow_the_formulas(text, step, expected):
    assert parse(text).probability(step) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    ["allways", "linear:1-0.5", "linear:2->0@5", "exponential:1.5", "1.7", "0.5/words", "switch:x", ""],
)
def test_wrong_strings_are_one_sentence(text):
    with pytest.raises(ConfigError, match=r"teacher_forcing"):
        parse(text)


def test_the_command_line_may_give_a_ratio_as_a_number():
    assert resolve({}, ["train.teacher_forcing=0.7"]).train.teacher_forcing == "0.7"


def test_coins_come_from_the_generator_and_once_a_sequence_if_asked():
    forcing = parse("0.5")
    one, other = (toss(forcing, 1, 41, 37, torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(one, other)
    assert 0.4 < one.float().mean() < 0.6
    whole = toss(parse("0.5/sequence"), 1, 41, 37, torch.Generator().manual_seed(3))
    assert (whole == whole[:, :1]).all()
    assert 0 < whole[:, 0].sum() < 41


@pytest.mark.parametrize("preset", ["seq2seq", "rnnsearch", "luong", "transformer"])
def test_forced_stepping_equals_the_whole_pass(preset):
    torch.manual_seed(1)
    model = build_model(small_model(preset), 13, 17).train()
    source, target = torch.randint(4, 13, (3, 5)), torch.randint(4, 17, (3, 7))
    target[:, 0] = 2
    tokens = Tokens(source, torch.ones_like(source, dtype=torch.bool))

    def whole(model):
        decoded = model.decode(model.encode(tokens), target, need_weights=True)
        return [model.generator(decoded.outputs_BTD), *decoded.attention.cross]

    double = deepcopy(model).double()
    expected = exact(lambda: whole(double))
    ran = free_run(model, model.encode(tokens), target, torch.ones(3, 7, dtype=torch.bool), need_weights=True)
    assert_rounded([ran.logits_BTV, *ran.cross], expected)
    assert_rounded(whole(model), expected)


def test_free_running_feeds_back_the_best_word():
    torch.manual_seed(1)
    model = build_model(small_model(), 13, 17).double().eval()
    source = torch.randint(4, 13, (3, 5))
    target = torch.full((3, 7), 5)
    target[:, 0] = 2
    memory = model.encode(Tokens(source, torch.ones_like(source, dtype=torch.bool)))
    logits = free_run(model, memory, target, torch.zeros(3, 7, dtype=torch.bool)).logits_BTV
    said = torch.cat([target[:, :1], logits.argmax(-1)[:, :-1]], dim=1)
    again = model.generator(model.decode(memory, said).outputs_BTD)
    torch.testing.assert_close(logits, again)
