"""The two lanes of attention add up to the whole gradient, and no attention means a longer way."""

import pytest
import torch

from jumok.config import resolve
from jumok.evaluation.exposure import exposure, stepped_loss
from jumok.evaluation.gradient_flow import Captured, flow_over_distance, sentence_flow
from jumok.models.build import build_model

SIZES = ["model.encoder.size=12", "model.decoder.size=12", "model.embedding=12", "model.dropout=0"]
SOURCE, TARGET = [5, 6, 7, 8, 9, 10, 11], [4, 5, 6, 7, 8]
MORE = {
    "bahdanau": [],
    "luong": ["model.preset=luong"],
    "transformer": ["model.preset=transformer", "model.encoder.heads=2", "model.decoder.heads=2"],
    "none": ["model.preset=seq2seq"],
    "reversed": ["model.reverse_source=true"],
}


def model_of(kind, seed=0):
    torch.manual_seed(seed)
    return build_model(resolve({}, [*SIZES, *MORE[kind]]).model, 13, 17).eval()


@pytest.mark.parametrize("kind", ["bahdanau", "luong", "transformer"])
def test_both_lanes_together_are_the_gradient_at_the_states(kind):
    """∂loss_t/∂h_i through weights + through values, as vectors, is what autograd gives for the attended states."""
    from dataclasses import replace

    from jumok.data.batch import Batch
    from jumok.evaluation.gradient_flow import two_lanes

    model = model_of(kind).double()
    batch = Batch.of([SOURCE], [TARGET], [0])
    memory = model.encode(batch.source)
    memory = replace(memory, states_BSD=memory.states_BSD.detach(), summary=memory.summary.detach())
    states = memory.states_BSD.clone().requires_grad_()
    whole = model.prepare(replace(memory, states_BSD=states))
    split, (weights, values) = two_lanes(model, memory)
    gradients = []
    for prepared, places in ((whole, [states]), (split, [weights, values])):
        logits = model.generator(model.decode(prepared, batch.target_in_BT).outputs_BTD)[0]
        loss = torch.nn.functional.cross_entropy(logits[2:3], batch.target_out_BT[0, 2:3])
        gradients.append(sum(torch.autograd.grad(loss, places)))
    torch.testing.assert_close(gradients[0], gradients[1], atol=1e-10, rtol=1e-7)


@pytest.mark.parametrize("kind", MORE)
def test_the_gradient_at_words_is_the_finite_difference(kind):
    model = model_of(kind).double()
    flow = sentence_flow(model, SOURCE, TARGET)
    assert flow.words_TS.shape == (len(TARGET) + 1, len(SOURCE) + 1)
    assert (flow.weights_TS is None) == (kind == "none")
    assert all(parameter.grad is None for parameter in model.parameters())
    # Nudging the embedded word at source position 2 changes loss_3 by no more than its gradient's norm, and
    # along the gradient by just that.
    from jumok.data.batch import Batch

    batch = Batch.of([SOURCE], [TARGET], [0])
    place = len(SOURCE) - 2 if kind == "reversed" else 2

    def loss(nudge):
        def add(_module, _inputs, output):
            moved = output.clone()
            moved[0, place] += nudge
            return moved

        hook = model.source_embedding.register_forward_hook(add)
        memory = model.encode(batch.source)
        hook.remove()
        logits = model.generator(model.decode(memory, batch.target_in_BT).outputs_BTD)[0, 3]
        return torch.nn.functional.cross_entropy(logits, batch.target_out_BT[0, 3])

    nudge = torch.zeros(12, dtype=torch.float64, requires_grad=True)
    gradient = torch.autograd.grad(loss(nudge), nudge)[0]
    column = place if kind != "reversed" else len(SOURCE) - place
    assert float(flow.words_TS[3, column]) == pytest.approx(float(gradient.norm()), rel=1e-9)


def test_flow_is_sorted_by_distance_and_counts_every_cell():
    model = model_of("bahdanau")
    pairs = [(SOURCE, TARGET), ([5, 6], [4])]
    parts = flow_over_distance(model, pairs, width=3)
    assert [part.low for part in parts] == sorted(part.low for part in parts)
    assert sum(part.count for part in parts) == 7 * 6 + 2 * 2
    assert all(part.weights is not None and part.values > 0 for part in parts)
    assert flow_over_distance(model_of("none"), pairs)[0].weights is None


def test_captured_lets_go_of_the_module():
    layer = torch.nn.Linear(2, 2)
    with Captured(layer) as outputs:
        layer(torch.ones(1, 2))
    layer(torch.ones(1, 2))
    assert len(outputs) == 1


@pytest.mark.parametrize("kind", ["bahdanau", "transformer", "none"])
def test_forced_loss_is_the_whole_pass_and_free_loss_follows_its_own_words(kind):
    from jumok.data.batch import Batch

    model = model_of(kind).double()
    pairs = [(SOURCE, TARGET), ([5, 6], [4]), ([9, 9, 9], [16, 15, 14, 13, 12, 11])]
    found = exposure(model, pairs)
    batch = Batch.of([s for s, _ in pairs], [t for _, t in pairs], range(3))
    with torch.no_grad():
        logits, _ = model(batch)
        loss = torch.nn.functional.cross_entropy(
            logits[batch.target_mask_BT], batch.target_out_BT[batch.target_mask_BT]
        )
        assert found.forced == pytest.approx(float(loss), abs=1e-10)
        assert found.tokens == batch.target_tokens
        # Fed with what it says itself, a model that is asked for just that loses nothing by running free.
        memory = model.encode(batch.source)
        said = [[], [], []]
        state, previous = model.init_state(memory), torch.full((3,), 2)
        for _ in range(4):
            output, state = model.step(previous, state)
            output.logits_BV[:, [0, 2]] = -torch.inf
            previous = output.logits_BV.argmax(-1)
            for row, token in zip(said, previous.tolist(), strict=True):
                row.append(token)
        target = torch.tensor(said)
        history = torch.cat([torch.full((3, 1), 2), target[:, :-1]], dim=1)
        torch.testing.assert_close(
            stepped_loss(model, memory, target, None), stepped_loss(model, memory, target, history)
        )
    assert sum(count for _, _, count in found.by_position) == found.tokens
