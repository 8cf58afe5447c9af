"""Laws of the head that copies."""

import pytest
import torch
from torch import Tensor

from jumok.config import PointerHeadConfig, resolve
from jumok.data.batch import Batch
from jumok.data.sources import Tokens
from jumok.models.build import build_model
from jumok.models.pointer import PointerHead
from jumok.models.pointer_loss import mixture_cross_entropy, plain_mixture_cross_entropy
from jumok.models.seq2seq import Seq2Seq
from tests.models import zoo

KINDS = {
    "rnnsearch": ["model.preset=rnnsearch"],
    "luong": ["model.preset=luong"],
    "transformer": ["model.preset=transformer", "model.encoder.layers=2", "model.decoder.layers=2"],
    "one head": ["model.preset=transformer", "model.head.layer=0", "model.head.head=1"],
    "own attention": ["model.preset=rnnsearch", "model.head.own=true"],
}
WORDS, SLOTS = 23, 3


def made(keys: list[str]) -> Seq2Seq:
    torch.manual_seed(5)
    sizes = ["model.encoder.size=12", "model.decoder.size=12", "model.embedding=12", "model.dropout=0"]
    if "model.preset=transformer" in keys:
        sizes += ["model.encoder.heads=2", "model.decoder.heads=2"]
    config = resolve({"task": "summarisation"}, [*keys, *sizes]).model  # pyright: ignore
    return build_model(config, WORDS + SLOTS, WORDS + SLOTS, SLOTS).double().eval()


def batch() -> Batch:
    sources = [[5, 7, 24, 7, 11, 23], [9, 25, 13], [6, 6, 6, 8, 21]]
    targets = [[7, 24, 12], [25, 9, 13, 20, 5], [22]]
    return Batch.of(sources, targets, [0, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_sum_to_one_and_the_loss_is_theirs(kind: str) -> None:
    model, pairs = made(KINDS[kind]), batch()
    memory = model.encode(pairs.source)
    decoded = model.decode(memory, pairs.target_in_BT)
    log_p = model.logits(decoded, memory)
    torch.testing.assert_close(log_p.exp().sum(-1), torch.ones(log_p.shape[:2]).double())
    with torch.no_grad():
        torch.testing.assert_close(model.logits(decoded, memory), log_p)
    nll = -log_p.gather(-1, pairs.target_out_BT[..., None])[..., 0] * pairs.target_mask_BT
    loss = model.head.loss(decoded, memory, pairs.target_out_BT, 0.0)
    torch.testing.assert_close(loss.nll_BT, nll.detach())
    torch.testing.assert_close(loss.total, nll.sum())
    torch.testing.assert_close(model.head.log_probs(decoded, memory, pairs.target_out_BT), -nll.detach())


@pytest.mark.parametrize("kind", KINDS)
def test_stepping_is_the_whole_pass(kind: str) -> None:
    model, pairs = made(KINDS[kind]), batch()
    memory = model.encode(pairs.source)
    whole = model.logits(model.decode(memory, pairs.target_in_BT), memory)
    state = model.init_state(memory)
    for t in range(pairs.target_in_BT.shape[1]):
        output, state = model.step(pairs.target_in_BT[:, t], state)
        torch.testing.assert_close(output.logits_BV, whole[:, t])


@pytest.mark.parametrize("kind", KINDS)
def test_batch_mates_change_nothing(kind: str) -> None:
    model, pairs = made(KINDS[kind]), batch()
    memory = model.encode(pairs.source)
    together = model.head.loss(model.decode(memory, pairs.target_in_BT), memory, pairs.target_out_BT, 0.1)
    alone = Batch.of([[9, 25, 13]], [[25, 9, 13, 20, 5]], [1])
    memory = model.encode(alone.source)
    single = model.head.loss(model.decode(memory, alone.target_in_BT), memory, alone.target_out_BT, 0.1)
    torch.testing.assert_close(single.nll_BT[0], together.nll_BT[1, : single.nll_BT.shape[1]])


def every_decoder_and_mechanism() -> list[zoo.Case]:
    """One case of the zoo for each decoder and mechanism that can copy."""
    found = {(case["decoder.kind"], case["decoder.attention"]): case for case in zoo.cases()}
    return [case for (_, mechanism), case in found.items() if mechanism != "none"]


@pytest.mark.parametrize("case", every_decoder_and_mechanism(), ids=zoo.name)
def test_under_every_mechanism_steps_scores_and_loss_are_one_distribution(case: zoo.Case) -> None:
    torch.manual_seed(3)
    config = zoo.config(case).model_copy(update={"head": PointerHeadConfig()})
    model = build_model(config, zoo.TARGET_WORDS, zoo.TARGET_WORDS, SLOTS).double().eval()
    source_BS, mask_BS, target_BT = zoo.batch()
    target_BT[:, 1:].clamp_(max=zoo.TARGET_WORDS - SLOTS - 1)
    source_BS[0, 1] = target_BT[0, 2] = zoo.TARGET_WORDS - 2  # a word that is only copied
    wanted_BT = target_BT.roll(-1, 1)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    memory = model.encode(Tokens(source_BS, mask_BS))
    decoded = model.decode(memory, target_BT)
    loss = model.head.loss(decoded, memory, wanted_BT, 0.0)
    tiled = torch.autograd.grad(loss.total, learned, allow_unused=True)
    state, steps = model.init_state(memory := model.encode(Tokens(source_BS, mask_BS))), []
    for word_B in target_BT.unbind(1):
        output, state = model.step(word_B, state)
        steps.append(output.logits_BV)
    log_p_BTV = torch.stack(steps, 1)
    torch.testing.assert_close(log_p_BTV.logsumexp(-1), torch.zeros(log_p_BTV.shape[:2]).double())
    nll = -log_p_BTV.gather(-1, wanted_BT[..., None]).sum()
    torch.testing.assert_close(nll, loss.total)
    with torch.no_grad():
        torch.testing.assert_close(model.logits(model.decode(memory, target_BT), memory), log_p_BTV)
    for one, other in zip(torch.autograd.grad(nll, learned, allow_unused=True), tiled, strict=True):
        if one is None or other is None:
            assert all(grad is None or not grad.any() for grad in (one, other))
        else:
            torch.testing.assert_close(one, other)


def rows(dtype: torch.dtype) -> list[Tensor]:
    torch.manual_seed(7)
    return [
        torch.randn(17, 5, dtype=dtype, requires_grad=True),
        torch.randn(11, 5, dtype=dtype, requires_grad=True),
        torch.randn(11, dtype=dtype, requires_grad=True),
        torch.randint(0, 14, (17,)),
        torch.randn(17, dtype=dtype, requires_grad=True),
        (torch.rand(17, dtype=dtype) * 0.9 + 0.05).requires_grad_(),
    ]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_tiled_loss_is_the_written_one(smoothing: float, dtype: torch.dtype) -> None:
    given = rows(dtype)
    learned = [one for one in given if one.requires_grad]
    expected, nll = plain_mixture_cross_entropy(*given, smoothing)  # pyright: ignore
    wanted = torch.autograd.grad(expected, learned)
    total, found_nll = mixture_cross_entropy(*given, smoothing)  # pyright: ignore
    torch.testing.assert_close(total, expected)
    torch.testing.assert_close(found_nll, nll)
    for found, one in zip(torch.autograd.grad(total, learned), wanted, strict=True):
        torch.testing.assert_close(found, one)


def test_its_gradient_is_that_of_the_differences() -> None:
    given = rows(torch.float64)
    target = given.pop(3)
    torch.autograd.gradcheck(
        lambda x, w, b, g, c: mixture_cross_entropy(x, w, b, target, g, c, 0.0)[0], given, fast_mode=True
    )


def test_a_slot_is_only_copied() -> None:
    model = made(KINDS["rnnsearch"])
    head = model.head
    assert isinstance(head, PointerHead)
    assert head.weight.shape[0] == WORDS
    pairs = batch()
    memory = model.encode(pairs.source)
    log_p = model.logits(model.decode(memory, pairs.target_in_BT), memory)
    absent = {23, 24, 25} - set(pairs.source_BS[2].tolist())
    assert (log_p[2, :, sorted(absent)] < -45).all()
