"""The decoder and the GRU as single operations equal their plain paths, results and gradients."""

from itertools import product

import pytest
import torch

from jumok.config import resolve
from jumok.data.sources import Tokens
from jumok.models.build import build_model
from jumok.models.contract import Memory
from jumok.models.recurrent import RecurrentLayer
from jumok.models.rnn_decoder import RNNDecoder

MECHANISMS = ("bahdanau", "luong-concat", "luong-general", "luong-dot", "scaled_dot")
WAYS = [(order, fed, word) for order, fed, word in product(("before", "after"), (True, False), (True, False))]
LOOPS = [way for way in WAYS if way[0] == "before" or way[1]]


def recurrent_model(cell: str, mechanism: str, order: str, fed: bool, word: bool, gate: bool = False):
    options = {"cell": cell, "attention": mechanism, "order": order, "input_feeding": fed, "readout": word, "size": 14}
    options |= {"gate": gate}
    keys = [f"model.decoder.{key}={value}" for key, value in options.items()]
    config = resolve({}, [*keys, "model.encoder.size=14", "model.embedding=11", "model.dropout=0"])
    torch.manual_seed(3)
    return build_model(config.model, 23, 29).double()


def sources_and_targets():
    mask_BS = torch.ones(5, 7, dtype=torch.bool)
    mask_BS[1, 4:] = mask_BS[3, 2:] = False
    return torch.randint(4, 23, (5, 7)), mask_BS, torch.randint(4, 29, (5, 6))


def learned(model, decode):
    """Outputs, and the gradients of a loss that looks at outputs and weights."""
    source_BS, mask_BS, target_BT = sources_and_targets()
    decoded = decode(model.target_embedding(target_BT), model.encode(Tokens(source_BS, mask_BS)), True)
    outputs = decoded.outputs_BTD
    slope = torch.linspace(-1, 1, outputs.numel(), dtype=outputs.dtype).view_as(outputs)
    loss = (outputs * slope).sum() + decoded.attention.cross[0].square().sum()
    return outputs, torch.autograd.grad(loss, list(model.parameters()), allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("order", "fed", "word"), LOOPS)
@pytest.mark.parametrize("gate", [False, True])
def test_one_operation_equals_the_plain_loop(cell, mechanism, order, fed, word, gate):
    model = recurrent_model(cell, mechanism, order, fed, word, gate)
    decoder = model.decoder
    assert isinstance(decoder, RNNDecoder)
    torch.manual_seed(5)
    plain, plain_gradients = learned(model, decoder._in_steps)
    torch.manual_seed(5)
    whole, whole_gradients = learned(model, decoder)
    torch.testing.assert_close(whole, plain, atol=1e-10, rtol=0)
    for one, other in zip(whole_gradients, plain_gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


def test_the_operation_is_taken_and_may_be_walked_back_twice():
    model = recurrent_model("gru", "bahdanau", "after", True, False)
    decoder = model.decoder
    assert isinstance(decoder, RNNDecoder)
    source_BS, mask_BS, target_BT = sources_and_targets()
    memory = model.encode(Tokens(source_BS, mask_BS))
    assert decoder._step_form(memory) is not None
    outputs = model.decode(memory, target_BT).outputs_BTD
    U = decoder.stack.bottom.U
    (first,) = torch.autograd.grad(outputs.sum(), U, retain_graph=True)
    (second,) = torch.autograd.grad(outputs.sum(), U)
    assert torch.equal(first, second)


def test_large_numbers_take_the_way_that_cannot_overflow():
    model = recurrent_model("gru", "bahdanau", "before", False, True)
    with torch.no_grad():
        model.decoder.attention.score.W_q.mul_(400.0)
        model.decoder.attention.score.W_k.mul_(400.0)
    torch.manual_seed(5)
    plain, plain_gradients = learned(model, model.decoder._in_steps)
    torch.manual_seed(5)
    whole, whole_gradients = learned(model, model.decoder)
    torch.testing.assert_close(whole, plain, atol=1e-9, rtol=0)
    for one, other in zip(whole_gradients, plain_gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-7, rtol=1e-7)


def test_a_source_that_is_hidden_wholly_goes_the_plain_way():
    model = recurrent_model("gru", "bahdanau", "before", False, True)
    source_BS, mask_BS, target_BT = sources_and_targets()
    memory: Memory = model.encode(Tokens(source_BS, mask_BS))
    hidden = mask_BS.clone()
    hidden[2] = False
    memory = model.prepare(Memory(memory.states_BSD, hidden, memory.summary))
    assert model.decoder._step_form(memory) is None
    assert torch.isfinite(model.decode(memory, target_BT).outputs_BTD).all()


def test_gru_as_one_operation_equals_torch():
    torch.manual_seed(0)
    layer = RecurrentLayer("gru", 11, 7).double()
    inputs = torch.randn(5, 6, 11, dtype=torch.float64, requires_grad=True)
    start = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    slope = torch.randn(5, 6, 7, dtype=torch.float64)
    ours, (last,) = layer(inputs, (start,))
    theirs, their_last = layer.rnn(inputs, start[None])
    torch.testing.assert_close(ours, theirs)
    wanted = [inputs, start, *layer.parameters()]
    gradients = torch.autograd.grad((ours * slope).sum() + last.sum(), wanted)
    expected = torch.autograd.grad((theirs * slope).sum() + their_last.sum(), wanted)
    for one, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(one, other)
