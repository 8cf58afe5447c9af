"""From config to model: sizes, ties, seeds, gradients, and refusals that name the keys."""

import pytest
import torch

from jumok.config import resolve
from jumok.data.sources import Tokens
from jumok.errors import ConfigError, UnknownNameError
from jumok.models.build import build_model, check_model
from tests.models import zoo

PRESETS = ("seq2seq", "rnnsearch", "luong", "transformer")


@pytest.mark.parametrize(
    "case",
    [
        *(zoo.preset(name) for name in PRESETS),
        zoo.preset("seq2seq", encoder__layers=2, decoder__layers=2, tie_output=False),
        zoo.preset("rnnsearch", encoder__layers=2, decoder__cell="lstm", decoder__layers=2, decoder__readout=False),
        zoo.preset("luong", decoder__cell="tanh", decoder__readout=True, decoder__size=18, embedding=7),
        zoo.preset("transformer", encoder__positions="learned", decoder__positions="rotary", encoder__norm="post"),
        zoo.preset("transformer", decoder__attention="none", embedding=7),
        zoo.preset("rnnsearch", encoder__kind="transformer", reverse_source=True),
        zoo.preset("transformer", encoder__kind="rnn", decoder__attention="luong-local-p", decoder__norm="post"),
    ],
    ids=str,
)
def test_gradients_reach_every_parameter(case):
    model = zoo.model(case).train()
    source_BS, mask_BS, target_BT = zoo.batch()
    decoded = model.decode(model.encode(Tokens(source_BS, mask_BS)), target_BT)
    torch.nn.functional.cross_entropy(
        model.generator(decoded.outputs_BTD).flatten(0, 1), target_BT.flatten()
    ).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        # The softmax does not see a constant added to all keys' scores, so keys' biases get nothing but rounding.
        assert parameter.grad.any() or name.endswith("W_k.bias"), name


@pytest.mark.parametrize("preset", PRESETS)
def test_the_seed_decides_the_weights(preset):
    one, same, other = (zoo.model(zoo.preset(preset), seed=seed) for seed in (1, 1, 2))
    for a, b in zip(one.parameters(), same.parameters(), strict=True):
        assert torch.equal(a, b)
    assert not torch.equal(one.target_embedding.weight, other.target_embedding.weight)


def test_parameters_are_those_of_the_formulas():
    # GRU 256, words 256, bidirectional 2 × 128, additive attention 256, readout 256, vocabulary 1000 + 1000.
    model = build_model(resolve().model, 1000, 1000)
    gru = lambda inputs, size: 3 * (inputs * size + size * size + 2 * size)  # noqa: E731
    expected = (
        2 * 1000 * 256
        + 2 * gru(256, 128)
        + (256 * 256 + 256)  # start
        + (256 * 256 * 2 + 256)  # score
        + gru(256 + 256, 256)
        + (3 * 256 * 256 + 256)  # readout
        + 1000  # output bias; its matrix is the target's embedding
    )
    assert sum(parameter.numel() for parameter in model.parameters()) == expected


def test_ties_save_their_matrices():
    def count(*keys: str) -> int:
        model = build_model(resolve({}, keys).model, 1000, 1000)
        return sum(parameter.numel() for parameter in model.parameters())

    for preset in ("rnnsearch", "transformer"):
        apart = count(f"model.preset={preset}", "model.tie_output=false")
        assert apart - count(f"model.preset={preset}") == 1000 * 256
        assert apart - count(f"model.preset={preset}", "model.tie_source=true") == 2 * 1000 * 256
    # Tying works at any sizes: the readout, or a projection, ends in the size of a word.
    for preset in PRESETS:
        model = build_model(resolve({}, [f"model.preset={preset}", "model.embedding=96"]).model, 50, 60)
        assert model.generator.weight is model.target_embedding.weight
        assert model.source_embedding.count == 50
        assert model.target_size == 60


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["model.decoder.attention=luong-dot", "model.decoder.size=128"], ["model.decoder.size=128", "luong-general"]),
        (["model.decoder.attention=cosine", "model.encoder.size=64"], ["model.encoder.size=64", "make them equal"]),
        (["model.encoder.size=255"], ["model.encoder.size=255", "even", "model.encoder.bidirectional=false"]),
        (["model.preset=transformer", "model.decoder.heads=7"], ["model.decoder.heads=7", "multiple"]),
        (["model.preset=transformer", "model.encoder.size=250"], ["model.encoder.size=250", "model.encoder.heads=4"]),
        (["model.decoder.attention_options={temperature: hot}"], ["model.decoder.attention=bahdanau"]),
        (["model.decoder.attention=bahdanau", "model.decoder.attention_options={temperature: -1.0}"], ["temperature"]),
        (
            ["model.tie_source=true", "model.encoder.kind=transformer", "model.encoder.size=128"],
            ["model.tie_source", "model.embedding"],
        ),
    ],
)
def test_impossible_combinations_are_refused_in_one_sentence(keys, words):
    model = resolve({}, keys).model
    for build in (check_model, lambda config: build_model(config, 100, 100)):
        with pytest.raises(ConfigError) as refusal:
            build(model)
        sentence = str(refusal.value)
        assert all(word in sentence for word in words), sentence
        assert "\n" not in sentence
        assert sentence.endswith(".")


def test_names_and_vocabularies_that_do_not_fit_are_refused():
    with pytest.raises(UnknownNameError, match="luong-general"):
        check_model(resolve({}, ["model.decoder.attention=luong-genral"]).model)
    with pytest.raises(ConfigError, match=r"text\.joint"):
        build_model(resolve({}, ["model.tie_source=true"]).model, 100, 101)


@pytest.mark.parametrize("case", zoo.cases()[::5], ids=zoo.name)
def test_checking_costs_no_memory_and_no_random_numbers(case):
    before = torch.get_rng_state()
    check_model(zoo.config(case))
    assert torch.equal(before, torch.get_rng_state())


def test_a_general_score_between_recurrent_parts_begins_as_the_dot_product():
    model = zoo.model(zoo.preset("luong", encoder__size=12, decoder__size=12))
    W = model.decoder.attention.score.W
    torch.testing.assert_close(W, torch.eye(12, dtype=W.dtype))
    assert W.requires_grad
