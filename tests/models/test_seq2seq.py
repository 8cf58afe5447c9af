"""The model's interface: batch-mates, states that travel, imposed weights, named terms."""

import copy

import pytest
import torch

from jumok.data.sources import Tokens
from jumok.errors import InputError, ShapeError
from tests.models import zoo
from tests.rounding import EPSILON, assert_rounded, exact

PRESETS = ("seq2seq", "rnnsearch", "luong", "transformer")
ATTENTIVE = ("rnnsearch", "luong", "transformer")


@pytest.mark.parametrize("case", zoo.cases(), ids=zoo.name)
@torch.no_grad()
def test_padding_and_batch_mates_change_nothing(case):
    model = zoo.model(case)
    source_BS, mask_BS, target_BT = zoo.batch()
    together = model.decode(model.encode(Tokens(source_BS, mask_BS)), target_BT).outputs_BTD
    for row, length in enumerate(mask_BS.sum(1)):
        alone = model.encode(Tokens(source_BS[row : row + 1, :length], mask_BS[row : row + 1, :length]))
        outputs_BTD = model.decode(alone, target_BT[row : row + 1]).outputs_BTD
        torch.testing.assert_close(outputs_BTD[0], together[row])


@pytest.mark.parametrize("case", zoo.cases()[::2], ids=zoo.name)
@torch.no_grad()
def test_selecting_rows_of_a_state_equals_decoding_those_rows(case):
    model = zoo.model(case)
    source_BS, mask_BS, target_BT = zoo.batch()
    # Rows are repeated, dropped, and more than there were: a beam opens in the middle of a sentence.
    index_N = torch.tensor([2, 0, 0, 2, 0])
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    for word_B in target_BT[:, :2].unbind(1):
        _, state = model.step(word_B, state)
    state = state.select(index_N)
    apart = model.decode(model.encode(Tokens(source_BS[index_N], mask_BS[index_N])), target_BT[index_N])
    logits_NTV = model.generator(apart.outputs_BTD)
    for t in (2, 3):
        output, state = model.step(target_BT[index_N, t], state)
        torch.testing.assert_close(output.logits_BV, logits_NTV[:, t])
    # Within one sentence the memory may stay: the third row takes the place of the second, which is its equal.
    swapped = state.select(torch.tensor([3, 2, 1, 0, 4]), same_sources=True)
    assert swapped.memory is state.memory
    output, _ = model.step(target_BT[index_N, 4], swapped)
    torch.testing.assert_close(output.logits_BV, logits_NTV[:, 4])


@pytest.mark.parametrize("preset", PRESETS)
@torch.no_grad()
def test_a_state_can_be_continued_in_several_ways(preset):
    model = zoo.model(zoo.preset(preset))
    source_BS, mask_BS, target_BT = zoo.batch()
    _, state = model.step(target_BT[:, 0], model.init_state(model.encode(Tokens(source_BS, mask_BS))))
    words = [torch.full((3,), word) for word in (7, 11)]
    branches = [model.step(word_B, state)[1] for word_B in words]
    for word_B, branch in zip(words, branches, strict=True):
        output, _ = model.step(target_BT[:, 2], branch)
        given_BT = torch.stack([target_BT[:, 0], word_B, target_BT[:, 2]], 1)
        whole = model.decode(state.memory, given_BT)
        torch.testing.assert_close(output.logits_BV, model.generator(whole.outputs_BTD)[:, 2])


@pytest.mark.parametrize("case", [c for c in zoo.cases()[::2] if c["decoder.attention"] != "none"], ids=zoo.name)
@torch.no_grad()
def test_imposing_the_models_own_weights_changes_nothing(case):
    model = zoo.model(case)
    source_BS, mask_BS, target_BT = zoo.batch()
    free = imposed = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    for word_B in target_BT.unbind(1):
        expected, free = model.step(word_B, free, need_weights=True)
        maps = dict(enumerate(expected.attention.cross))
        output, imposed = model.step(word_B, imposed, need_weights=True, override=maps)
        torch.testing.assert_close(output.logits_BV, expected.logits_BV)


@pytest.mark.parametrize("preset", ATTENTIVE)
@torch.no_grad()
def test_imposed_weights_choose_what_is_read(preset):
    model = zoo.model(zoo.preset(preset))
    source_BS, mask_BS, target_BT = zoo.batch()
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    heads = 3 if preset == "transformer" else 1
    weights_BHS = torch.zeros(3, heads, 11, dtype=torch.float64)
    weights_BHS[:, :, 1] = 1.0
    override = weights_BHS if preset == "transformer" else weights_BHS[:, 0]
    output, _ = model.step(target_BT[:, 0], state, need_weights=True, override=override)
    torch.testing.assert_close(output.attention.cross[-1], weights_BHS[:, :, None])
    free, _ = model.step(target_BT[:, 0], state)
    assert (output.logits_BV - free.logits_BV).abs().max() > 1e-4
    # Only the second source position is read, so another state at a third one makes no difference.
    memory = model.encode(Tokens(source_BS, mask_BS))
    memory.states_BSD[:, 2] += 1.0
    if preset != "transformer":
        edited, _ = model.step(target_BT[:, 0], model.init_state(model.prepare(memory)), override=override)
        torch.testing.assert_close(edited.logits_BV, output.logits_BV)


def test_an_override_that_does_not_fit_is_refused():
    model = zoo.model(zoo.preset("transformer"))
    source_BS, mask_BS, target_BT = zoo.batch()
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    with pytest.raises(ShapeError, match="layer 3"):
        model.step(target_BT[:, 0], state, override={3: torch.ones(3, 3, 1, 11)})
    with pytest.raises(ShapeError, match=r"\[B, H, 1, S\]"):
        model.step(target_BT[:, 0], state, override={0: torch.ones(3, 3, 11)})
    with pytest.raises(ShapeError, match=r"\[B, S\]"):
        model.step(target_BT[:, 0], state, override=torch.ones(11))


def test_a_mechanism_that_remembers_and_the_decoder_name_their_states_apart():
    model = zoo.model(zoo.preset("rnnsearch", decoder__attention="coverage"))
    source_BS, mask_BS, target_BT = zoo.batch()
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    first, state = model.step(target_BT[:, 0], state, need_terms=True)
    second, _ = model.step(target_BT[:, 1], state, need_terms=True)
    sizes = {step.terms.decoder[name].value.shape for step in (first, second) for name in ("state", "query")}
    assert len(sizes) == 1
    torch.testing.assert_close(second.terms.layers[0]["coverage"].value, first.terms.layers[0]["weights"].value)


@pytest.mark.parametrize("preset", PRESETS)
def test_terms_name_what_a_step_computed(preset):
    model = zoo.model(zoo.preset(preset))
    source_BS, mask_BS, target_BT = zoo.batch()
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    output, _ = model.step(target_BT[:, 0], state, need_terms=True)
    assert set(output.terms.decoder) == {"query", "state", "output"}
    torch.testing.assert_close(model.generator(output.terms.decoder["output"].value), output.logits_BV)
    assert len(output.terms.layers) == {"seq2seq": 0, "transformer": 3}.get(preset, 1)
    for layer in output.terms.layers:
        assert {"query", "scores", "weights", "context"} <= set(layer)
        assert all(term.value.ndim == len(term.axes) + (not term.constant) for term in layer.values())
    if preset == "rnnsearch":
        found = {name: term.value for name, term in output.terms.layers[0].items()}
        assert {"W_q q", "W_k k", "tanh", "v"} <= set(found)
        torch.testing.assert_close(found["tanh"] @ found["v"], found["scores"])
    assert model.step(target_BT[:, 0], state)[0].terms is None


@pytest.mark.parametrize("preset", PRESETS)
def test_maps_are_told_apart_and_only_there_when_asked_for(preset):
    model = zoo.model(zoo.preset(preset))
    source_BS, mask_BS, target_BT = zoo.batch()
    memory = model.encode(Tokens(source_BS, mask_BS), need_weights=True)
    maps = model.decode(memory, target_BT, need_weights=True).attention
    shapes = {
        "seq2seq": ([], [], []),
        "rnnsearch": ([], [], [(3, 1, 5, 11)]),
        "luong": ([], [], [(3, 1, 5, 11)]),
        "transformer": ([(3, 2, 11, 11)] * 3, [(3, 3, 5, 5)] * 3, [(3, 3, 5, 11)] * 3),
    }
    assert tuple([tuple(m.shape) for m in part] for part in (maps.encoder, maps.decoder, maps.cross)) == shapes[preset]
    for weights in maps.cross + maps.encoder:
        assert (weights * ~mask_BS[:, None, None, :]).abs().max() == 0
    silent = model.decode(model.encode(Tokens(source_BS, mask_BS)), target_BT).attention
    assert [silent.encoder, silent.decoder, silent.cross] == [[], [], []]


def test_reading_backwards_gives_states_in_the_order_of_the_source():
    for kind in zoo.KINDS:
        case = zoo.preset("rnnsearch", encoder__kind=kind, encoder__bidirectional=False)
        plain, reverse = zoo.model(case), zoo.model(case | {"reverse_source": True})
        source_BS, mask_BS, _ = zoo.batch()
        backwards_BS = source_BS.clone()
        for row, length in enumerate(mask_BS.sum(1)):
            backwards_BS[row, :length] = source_BS[row, :length].flip(0)
        expected = plain.encode(Tokens(backwards_BS, mask_BS), need_weights=True)
        memory = reverse.encode(Tokens(source_BS, mask_BS), need_weights=True)
        torch.testing.assert_close(memory.summary, expected.summary)
        for row, length in enumerate(mask_BS.sum(1)):
            torch.testing.assert_close(memory.states_BSD[row, :length], expected.states_BSD[row, :length].flip(0))
            for ours, theirs in zip(memory.attention, expected.attention, strict=True):
                torch.testing.assert_close(ours[row, :, :length, :length], theirs[row, :, :length, :length].flip(1, 2))


@pytest.mark.parametrize("kind", zoo.KINDS)
@pytest.mark.parametrize("order", ["before", "after"])
def test_hard_attention_returns_the_log_probability_of_its_draws(kind, order):
    case = zoo.preset("rnnsearch", decoder__kind=kind, decoder__order=order, decoder__attention="hard")
    model = zoo.model(case).train()
    source_BS, mask_BS, target_BT = zoo.batch()
    decoded = model.decode(model.encode(Tokens(source_BS, mask_BS)), target_BT, need_weights=True)
    assert decoded.log_prob_BT is not None
    assert decoded.log_prob_BT.shape == target_BT.shape
    assert (decoded.log_prob_BT <= 0).all()
    assert ((decoded.attention.cross[0] == 0) | (decoded.attention.cross[0] == 1)).all()
    decoded.log_prob_BT.sum().backward()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_models_run_under_autocast(preset, dtype):
    model = zoo.model(zoo.preset(preset)).float().train()
    source_BS, mask_BS, target_BT = zoo.batch()
    with torch.autocast("cpu", dtype):
        memory = model.encode(Tokens(source_BS, mask_BS))
        logits_BTV = model.generator(model.decode(memory, target_BT).outputs_BTD)
        output, _ = model.step(target_BT[:, 0], model.init_state(memory))
    double = copy.deepcopy(model).double()

    def first_logits():
        outputs_BTD = double.decode(double.encode(Tokens(source_BS, mask_BS)), target_BT).outputs_BTD
        return [double.generator(outputs_BTD)[:, 0]]

    expected, one_rounding = exact(first_logits), torch.finfo(dtype).eps / EPSILON
    assert_rounded([output.logits_BV], expected, many=2 * one_rounding)
    assert_rounded([logits_BTV[:, 0]], expected, many=2 * one_rounding)
    logits_BTV.float().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("preset", PRESETS)
def test_a_copy_keeps_its_own_tied_output(preset):
    model = zoo.model(zoo.preset(preset))
    twin = copy.deepcopy(model)
    assert twin.generator.weight is twin.target_embedding.weight
    assert twin.generator.weight is not model.generator.weight
    stored = model.state_dict()
    places = [tensor.data_ptr() for tensor in stored.values()]
    assert len(set(places)) == len(places), "no tensor is stored under two names"


def test_forward_gives_logits_and_maps_of_a_batch():
    source_BS, mask_BS, target_BT = zoo.batch()

    class Pairs:
        source, target_in_BT = Tokens(source_BS, mask_BS), target_BT

    logits_BTV, maps = zoo.model(zoo.preset("rnnsearch"))(Pairs(), need_weights=True)
    assert logits_BTV.shape == (3, 5, zoo.TARGET_WORDS)
    assert len(maps.cross) == 1


def test_bad_sources_are_refused():
    model = zoo.model(zoo.preset("rnnsearch"))
    with pytest.raises(InputError, match="nothing to encode"):
        model.encode(Tokens(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 0, dtype=torch.bool)))
    learned = zoo.model(zoo.preset("transformer", encoder__positions="learned"))
    location = zoo.model(zoo.preset("luong", decoder__attention="luong-location"))
    long = torch.full((1, 14), 5)
    for refusing in (learned, location):
        with pytest.raises(ShapeError, match="14"):
            refusing.encode(Tokens(long, torch.ones(1, 14, dtype=torch.bool)))
