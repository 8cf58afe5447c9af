"""Recurrent layers and encoders: ours is torch's, padding or not."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from jumok.models.recurrent import RecurrentLayer, RecurrentStack
from jumok.models.rnn_encoder import RNNEncoder
from tests.models import zoo

CELLS = ("tanh", "gru", "lstm")
TORCH = {"tanh": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


@pytest.mark.parametrize("cell", CELLS)
def test_stepping_a_stack_equals_its_whole_run(cell):
    torch.manual_seed(2)
    stack = RecurrentStack(cell, 7, 5, 3, dropout=0.0).double()
    for parameter in stack.parameters():
        nn.init.uniform_(parameter, -0.6, 0.6)
    inputs_BTE = torch.randn(2, 11, 7, dtype=torch.float64)
    start = tuple(tuple(torch.randn(2, 5, dtype=torch.float64) for _ in range(layer.parts)) for layer in stack.layers)
    whole_BTD, last = stack(inputs_BTE, start)
    states, outputs = start, []
    for gates_BG in stack.bottom.input_gates(inputs_BTE).unbind(1):
        states = stack.advance(gates_BG, states, [None, None])
        outputs.append(states[-1][0])
    torch.testing.assert_close(torch.stack(outputs, 1), whole_BTD)
    torch.testing.assert_close(states, last)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_encoder_is_torchs_on_packed_sequences(cell, bidirectional):
    torch.manual_seed(2)
    encoder = RNNEncoder(cell=cell, input_size=7, size=10, layers=2, bidirectional=bidirectional, dropout=0.0).double()
    width = 5 if bidirectional else 10
    reference = TORCH[cell](7, width, 2, batch_first=True, bidirectional=bidirectional).double()
    with torch.no_grad():
        for side, suffix in ((encoder.forwards, ""), (encoder.backwards, "_reverse")):
            for number, layer in enumerate(side):
                assert isinstance(layer, RecurrentLayer)
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    mine = getattr(layer.rnn, f"{kind}_l0")
                    getattr(reference, f"{kind}_l{number}{suffix}").copy_(mine)
    _, mask_BS, _ = zoo.batch()
    words_BSE = torch.randn(3, 11, 7, dtype=torch.float64)
    memory = encoder(words_BSE, mask_BS)
    packed = pack_padded_sequence(words_BSE, mask_BS.sum(1), batch_first=True, enforce_sorted=False)
    states, last = reference(packed)
    expected_BSD, _ = pad_packed_sequence(states, batch_first=True, total_length=11)
    torch.testing.assert_close(memory.states_BSD * mask_BS[..., None], expected_BSD)
    hidden = last[0] if cell == "lstm" else last
    if bidirectional:
        torch.testing.assert_close(memory.summary, torch.cat([hidden[-2], hidden[-1]], -1))
    else:
        torch.testing.assert_close(memory.summary, hidden[-1])
        for number, state in enumerate(memory.final):
            torch.testing.assert_close(state[0], hidden[number])
            if cell == "lstm":
                torch.testing.assert_close(state[1], last[1][number])


def test_weights_start_orthogonal_with_an_open_forget_gate():
    layer = RecurrentLayer("lstm", 7, 5)
    for gate in layer.U.chunk(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(5), atol=1e-5, rtol=0)
    assert torch.equal(layer.b.view(4, 5)[1], torch.ones(5))


def test_dropout_between_layers_falls_in_a_loop_as_in_a_whole_run():
    stack = RecurrentStack("gru", 7, 500, 2, dropout=0.25).train()
    scales = stack.dropout_scales(11, 13, torch.zeros(()))
    assert scales[0].shape == (11, 13, 500)
    assert abs((scales[0] == 0).float().mean() - 0.25) < 0.01
    assert stack.eval().dropout_scales(11, 13, torch.zeros(())) == [None]
