"""Stepping equals the whole pass, for every encoder × decoder × mechanism and all other options pairwise."""

from itertools import product

import pytest
import torch

from jumok.data.sources import Tokens
from tests.models import zoo


def test_every_encoder_decoder_and_mechanism_is_there():
    tried = {(case["encoder.kind"], case["decoder.kind"], case["decoder.attention"]) for case in zoo.cases()}
    assert tried == set(product(zoo.KINDS, zoo.KINDS, zoo.MECHANISMS))


def test_other_options_are_covered_pairwise():
    tried = {pair for case in zoo.cases() for pair in zoo.pairs_of(case)}
    for encoder, decoder in product(zoo.KINDS, zoo.KINDS):
        kinds = {"encoder.kind": encoder, "decoder.kind": decoder, "decoder.attention": "bahdanau"}
        assert zoo.option_pairs(kinds) <= tried


@pytest.mark.parametrize("case", zoo.cases(), ids=zoo.name)
@torch.no_grad()
def test_stepping_equals_the_whole_pass(case):
    model = zoo.model(case)
    source_BS, mask_BS, target_BT = zoo.batch()
    memory = model.encode(Tokens(source_BS, mask_BS), need_weights=True)
    whole = model.decode(memory, target_BT, need_weights=True)
    logits_BTV = model.generator(whole.outputs_BTD)
    # The way without weights may take other kernels.
    torch.testing.assert_close(model.decode(memory, target_BT).outputs_BTD, whole.outputs_BTD)

    state = model.init_state(memory)
    silent = model.init_state(memory)
    for t in range(target_BT.shape[1]):
        output, state = model.step(target_BT[:, t], state, need_weights=True)
        torch.testing.assert_close(output.logits_BV, logits_BTV[:, t])
        for now, all_steps in zip(output.attention.cross, whole.attention.cross, strict=True):
            torch.testing.assert_close(now, all_steps[:, :, t : t + 1])
        for now, all_steps in zip(output.attention.decoder, whole.attention.decoder, strict=True):
            torch.testing.assert_close(now, all_steps[:, :, t : t + 1, : t + 1])
        assert all(a is b for a, b in zip(output.attention.encoder, memory.attention, strict=True))
        bare, silent = model.step(target_BT[:, t], silent)
        torch.testing.assert_close(bare.logits_BV, logits_BTV[:, t])
        assert not bare.attention.cross


@pytest.mark.parametrize("case", zoo.cases()[::2], ids=zoo.name)
def test_gradients_of_stepping_equal_those_of_the_whole_pass(case):
    model = zoo.model(case)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    source_BS, mask_BS, target_BT = zoo.batch()

    def gradients(logits_BTV):
        loss = logits_BTV.log_softmax(-1)[..., 7].sum()
        return torch.autograd.grad(loss, learned, allow_unused=True)

    memory = model.encode(Tokens(source_BS, mask_BS))
    whole = gradients(model.generator(model.decode(memory, target_BT).outputs_BTD))
    memory = model.encode(Tokens(source_BS, mask_BS))
    state, steps = model.init_state(memory), []
    for word_B in target_BT.unbind(1):
        output, state = model.step(word_B, state)
        steps.append(output.logits_BV)
    for one, other in zip(gradients(torch.stack(steps, 1)), whole, strict=True):
        # One way may leave a parameter out that the other gives a gradient of zero.
        if one is None or other is None:
            assert all(grad is None or not grad.any() for grad in (one, other))
        else:
            torch.testing.assert_close(one, other)
